/* A plugin for qemu-user (7.x, plugin interface 1) that counts what a program does between two calls of getppid().
 *
 *     qemu-aarch64 -plugin libcounter.so,out=FILE,l1i=32768,l1iways=2,l1d=32768,l1dways=4,l2=524288,l2ways=16,streams=2 PROGRAM
 *
 * getppid() starts and stops counting. getsid() sets the counts to zero. getpgid() appends a line of JSON to FILE and
 * sets the counts to zero. The line has retired instructions, loads and stores with their bytes, misses of simulated
 * caches, mispredictions of a simulated branch predictor, and every block of instructions that ran: [address,
 * executions, mispredictions, "instructions in hexadecimal"].
 *
 * The caches keep their content until sched_yield() empties them. madvise(MADV_COLD) says that another device has
 * written a range of memory, and drops its lines. The caches replace the least recently used line and do not prefetch.
 * Two kinds of misses are counted separately: those that a prefetcher would foresee, and those of the others whose line
 * is only in memory after sched_yield() or madvise(). A prefetcher foresees a miss that continues a stream of misses of
 * consecutive lines, from the third miss in a page on. It follows `streams` streams at a time.
 *
 * gcc -std=c11 -O2 -shared -fPIC -o libcounter.so counter.c
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of qemu-plugin.h that are used; no Debian package has that file. */
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };
typedef void (*exec_callback)(unsigned cpu, void *data);
typedef void (*memory_callback)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*block_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*syscall_callback)(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                                 uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, block_callback callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, exec_callback callback,
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, memory_callback callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, syscall_callback callback);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

enum { SCHED_YIELD = 124, GETPGID = 155, GETSID = 156, GETPPID = 173, MADVISE = 233 };
enum { MADV_COLD = 20 };
enum { LINE = 64, PAGE = 4096, PREDICTOR = 4096, TRAINING = 2 };

typedef struct { uint64_t sets, ways, clock, *lines, *ages; } Cache;
typedef struct { uint64_t next, misses, age; } Stream;
typedef struct Block {
    uint64_t address, after, executions, mispredictions, last_target;
    uint32_t count, *words;
    bool conditional, indirect;
    struct Block *next;
} Block;

static Cache code_cache, data_cache, shared_cache;
static Block *blocks, *previous;
static uint64_t instructions, loads, stores, bytes_loaded, bytes_stored;
static uint64_t code_misses, data_misses, shared_misses, data_streamed, shared_streamed, from_memory, mispredictions;
static uint64_t foreign_from, foreign_to; /* lines that are only in memory */
static Stream *streams;
static uint64_t stream_count, stream_clock;
static uint8_t counters[PREDICTOR];
static unsigned history;
static bool counting;
static FILE *out;

static void empty(Cache *cache)
{
    memset(cache->lines, 0xff, cache->sets * cache->ways * sizeof *cache->lines);
}

static Cache make_cache(uint64_t bytes, uint64_t ways)
{
    Cache cache = {.sets = bytes / LINE / ways, .ways = ways};
    cache.lines = malloc(cache.sets * ways * sizeof *cache.lines);
    cache.ages = calloc(cache.sets * ways, sizeof *cache.ages);
    empty(&cache);
    return cache;
}

static bool misses(Cache *cache, uint64_t line)
{
    uint64_t first = line % cache->sets * cache->ways, oldest = first;
    for (uint64_t place = first; place < first + cache->ways; place++) {
        if (cache->lines[place] == line) {
            cache->ages[place] = ++cache->clock;
            return false;
        }
        if (cache->ages[place] < cache->ages[oldest])
            oldest = place;
    }
    cache->lines[oldest] = line;
    cache->ages[oldest] = ++cache->clock;
    return true;
}

static void forget(Cache *cache, uint64_t from, uint64_t to)
{
    for (uint64_t line = from; line <= to; line++) {
        uint64_t first = line % cache->sets * cache->ways;
        for (uint64_t place = first; place < first + cache->ways; place++)
            if (cache->lines[place] == line) {
                cache->lines[place] = UINT64_MAX;
                cache->ages[place] = 0;
            }
    }
}

/* Whether a prefetcher foresees a miss. A new stream replaces the least recently used one. */
static bool is_streamed(uint64_t line)
{
    Stream *stream = streams;
    for (Stream *other = streams; other < streams + stream_count; other++) {
        if (other->next == line) {
            stream = other;
            break;
        }
        if (other->age < stream->age)
            stream = other;
    }
    bool goes_on = stream->next == line && line % (PAGE / LINE);
    stream->misses = goes_on ? stream->misses + 1 : 1;
    stream->next = line + 1;
    stream->age = ++stream_clock;
    return stream->misses > TRAINING;
}

static void miss_shared(uint64_t line, bool streamed)
{
    if (misses(&shared_cache, line)) {
        shared_misses++;
        shared_streamed += streamed;
        from_memory += !streamed && foreign_from <= line && line <= foreign_to;
    }
}

static void fetch(uint64_t from, uint64_t to)
{
    for (uint64_t line = from / LINE; line <= to / LINE; line++)
        if (misses(&code_cache, line)) {
            code_misses++;
            miss_shared(line, false);
        }
}

static void touch(uint64_t from, uint64_t to)
{
    for (uint64_t line = from / LINE; line <= to / LINE; line++)
        if (misses(&data_cache, line)) {
            bool streamed = is_streamed(line);
            data_misses++;
            data_streamed += streamed;
            miss_shared(line, streamed);
        }
}

/* A two-bit counter for every branch and recent history. The prediction for an indirect branch is its last target. */
static void predict(Block *branch, uint64_t target)
{
    bool wrong = false;
    if (branch->conditional) {
        bool taken = target != branch->after;
        uint8_t *counter = &counters[(branch->after / 4 ^ history) % PREDICTOR];
        wrong = taken != (*counter >= 2);
        *counter += taken ? *counter < 3 : -(*counter > 0);
        history = history << 1 | taken;
    } else if (branch->indirect) {
        wrong = branch->last_target != target;
        branch->last_target = target;
    }
    branch->mispredictions += wrong;
    mispredictions += wrong;
}

static void executed(unsigned cpu, void *data)
{
    Block *block = data;
    if (!counting)
        return;
    if (previous)
        predict(previous, block->address);
    previous = block;
    block->executions++;
    instructions += block->count;
    fetch(block->address, block->after - 4);
}

static void accessed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint64_t bytes = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    if (!counting)
        return;
    if (qemu_plugin_mem_is_store(info)) {
        stores++;
        bytes_stored += bytes;
    } else {
        loads++;
        bytes_loaded += bytes;
    }
    touch(address, address + bytes - 1);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *translation)
{
    Block *block = calloc(1, sizeof *block);
    block->count = qemu_plugin_tb_n_insns(translation);
    block->words = malloc(block->count * sizeof *block->words);
    for (uint32_t index = 0; index < block->count; index++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(translation, index);
        memcpy(&block->words[index], qemu_plugin_insn_data(instruction), sizeof *block->words);
        if (index == 0)
            block->address = qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
    uint32_t last = block->words[block->count - 1];
    block->after = block->address + 4 * block->count;
    /* b.cond; cbz, cbnz, tbz, tbnz; br, blr; not ret, whose target the processor remembers */
    block->conditional = (last & 0xff000010) == 0x54000000 || (last & 0x7c000000) == 0x34000000;
    block->indirect = (last & 0xffdffc1f) == 0xd61f0000;
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_cb(translation, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void report(void)
{
    fprintf(out, "{\"instructions\": %" PRIu64 ", \"loads\": %" PRIu64 ", \"stores\": %" PRIu64, instructions, loads, stores);
    fprintf(out, ", \"bytes_loaded\": %" PRIu64 ", \"bytes_stored\": %" PRIu64, bytes_loaded, bytes_stored);
    fprintf(out, ", \"l1i_misses\": %" PRIu64 ", \"l1d_misses\": %" PRIu64, code_misses, data_misses);
    fprintf(out, ", \"l1d_streamed\": %" PRIu64 ", \"l2_misses\": %" PRIu64, data_streamed, shared_misses);
    fprintf(out, ", \"l2_streamed\": %" PRIu64 ", \"l2_from_memory\": %" PRIu64, shared_streamed, from_memory);
    fprintf(out, ", \"mispredictions\": %" PRIu64 ", \"blocks\": [", mispredictions);
    const char *separator = "";
    for (Block *block = blocks; block; block = block->next)
        if (block->executions) {
            fprintf(out, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", \"", separator, block->address, block->executions,
                    block->mispredictions);
            for (uint32_t index = 0; index < block->count; index++)
                fprintf(out, "%08x", block->words[index]);
            fprintf(out, "\"]");
            separator = ", ";
        }
    fprintf(out, "]}\n");
    fflush(out);
}

static void reset(void)
{
    instructions = loads = stores = bytes_loaded = bytes_stored = 0;
    code_misses = data_misses = shared_misses = data_streamed = shared_streamed = from_memory = mispredictions = 0;
    for (Block *block = blocks; block; block = block->next)
        block->executions = block->mispredictions = 0;
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                   uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    switch (number) {
    case GETPPID:
        counting = !counting;
        previous = NULL;
        break;
    case GETPGID:
        report();
        reset();
        break;
    case GETSID:
        reset();
        foreign_from = foreign_to = 0;
        break;
    case SCHED_YIELD:
        empty(&code_cache);
        empty(&data_cache);
        empty(&shared_cache);
        foreign_from = 0;
        foreign_to = UINT64_MAX;
        break;
    case MADVISE:
        if (a3 == MADV_COLD) {
            foreign_from = a1 / LINE;
            foreign_to = (a1 + a2 - 1) / LINE;
            forget(&data_cache, foreign_from, foreign_to);
            forget(&shared_cache, foreign_from, foreign_to);
        }
    }
}

static const char *value_of(int count, char **arguments, const char *name)
{
    size_t length = strlen(name);
    for (int index = 0; index < count; index++)
        if (!strncmp(arguments[index], name, length) && arguments[index][length] == '=')
            return arguments[index] + length + 1;
    fprintf(stderr, "counter: the argument %s=... is missing\n", name);
    exit(2);
}

static uint64_t number_of(int count, char **arguments, const char *name)
{
    return strtoull(value_of(count, arguments, name), NULL, 0);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **arguments)
{
    code_cache = make_cache(number_of(count, arguments, "l1i"), number_of(count, arguments, "l1iways"));
    data_cache = make_cache(number_of(count, arguments, "l1d"), number_of(count, arguments, "l1dways"));
    shared_cache = make_cache(number_of(count, arguments, "l2"), number_of(count, arguments, "l2ways"));
    stream_count = number_of(count, arguments, "streams");
    streams = calloc(stream_count, sizeof *streams);
    out = fopen(value_of(count, arguments, "out"), "w");
    if (!out) {
        perror("counter");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
