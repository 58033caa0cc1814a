/* Memory for cameras where the kernel has no dma-buf: /dev/udmabuf and /dev/dma_heap made of memfd, by LD_PRELOAD.
 *
 * libcamera and picamera2 open one of the two, ask it for buffers by ioctl, and tell each buffer when they touch it.
 * Here, opening gives /dev/null, asking gives a memfd, and telling does nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct udmabuf { uint32_t memfd, flags; uint64_t offset, size; };
struct heap_buffer { uint64_t size; uint32_t descriptor, descriptor_flags; uint64_t heap_flags; };

#define UDMABUF_CREATE _IOW('u', 0x42, struct udmabuf)
#define HEAP_ALLOCATE _IOWR('H', 0x0, struct heap_buffer)

typedef int (*open_function)(int, const char *, int, ...);
typedef int (*ioctl_function)(int, unsigned long, ...);

static const char *instead_of(const char *path)
{
	static const char *const ours[] = {"/dev/udmabuf", "/dev/dma_heap/linux,cma", "/dev/dma_heap/system"};

	for (unsigned i = 0; path && i < sizeof ours / sizeof *ours; i++)
		if (!strcmp(path, ours[i]))
			return "/dev/null";
	return path;
}

static int real_open(int folder, const char *path, int flags, mode_t mode)
{
	static open_function next;

	if (!next)
		next = (open_function)dlsym(RTLD_NEXT, "openat64");
	return next(folder, instead_of(path), flags, mode);
}

#define MODE_OF(flags) \
	mode_t mode = 0; \
	if ((flags) & (O_CREAT | O_TMPFILE)) { \
		va_list more; \
		va_start(more, flags); \
		mode = va_arg(more, mode_t); \
		va_end(more); \
	}

int open(const char *path, int flags, ...) { MODE_OF(flags) return real_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return real_open(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE_OF(flags) return real_open(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE_OF(flags) return real_open(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return real_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return real_open(AT_FDCWD, path, flags, 0); }

static int new_buffer(struct heap_buffer *wanted)
{
	int descriptor = memfd_create("camera-buffer", MFD_CLOEXEC);

	if (descriptor < 0 || ftruncate(descriptor, (wanted->size + 4095) & ~4095ull))
		return -1;
	wanted->descriptor = descriptor;
	return 0;
}

static int is_buffer_sync(int descriptor, unsigned long request)
{
	struct stat status;

	return _IOC_TYPE(request) == 'b' && _IOC_NR(request) <= 1 && !fstat(descriptor, &status) && S_ISREG(status.st_mode);
}

int ioctl(int descriptor, unsigned long request, ...)
{
	static ioctl_function next;
	va_list more;

	va_start(more, request);
	void *argument = va_arg(more, void *);
	va_end(more);
	if (request == UDMABUF_CREATE)
		return fcntl(((struct udmabuf *)argument)->memfd, F_DUPFD_CLOEXEC, 0);
	if (request == HEAP_ALLOCATE)
		return new_buffer(argument);
	if (is_buffer_sync(descriptor, request))
		return 0;
	if (!next)
		next = (ioctl_function)dlsym(RTLD_NEXT, "ioctl");
	return next(descriptor, request, argument);
}
