# Two commands: `make demo` and `make test`; each makes the environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo warm test test-arm test-camera test-virtual-camera test-mqtt test-soak test-systemd test-boot test-fresh lint models kernels bench results clean

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "edge-lpdpl needs Python 3.11 or newer: make PYTHON=python3.13"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "this Python makes no environments: apt install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[train,test]'
	@touch $@

# Train a small model on the embedded data, read pictures with it and with the shipped model, draw the steps.
demo: $(VENV)/.ready
	@mkdir -p demo-output
	$(BIN)/lpdpl-train fit synthetic:writers=20,samples=5 --output demo-output/small.safetensors
	$(BIN)/edge-lpdpl demo --model demo-output/small.safetensors --output demo-output/small
	$(BIN)/edge-lpdpl demo --output demo-output
	@echo "for the commands by their names: . $(BIN)/activate"

# One core compiles the kernels while the other reads the sources; then both run tests.
test: $(VENV)/.ready
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target warm lint
	$(BIN)/python -m pytest -q --numprocesses=auto --maxprocesses=8 --dist=worksteal

# The service on the real picamera2 and a model of a camera: no camera, no root.
CAMERA_VENV ?= .venv-camera
$(CAMERA_VENV)/.ready: pyproject.toml tests/lanes/camera/setup.sh
	tests/lanes/camera/setup.sh $(PYTHON) $(CAMERA_VENV)

test-camera: $(CAMERA_VENV)/.ready
	$(CAMERA_VENV)/bin/python -m pytest -q tests/lanes/camera

# The real picamera2 on the real libcamera, whose virtual camera is shown scenes, in a root of Debian 13. As root.
test-virtual-camera: $(VENV)/.ready
	$(BIN)/python -m pytest -q tests/lanes/virtual_camera

# Decisions through a real mosquitto.
test-mqtt: $(VENV)/.ready
	tests/lanes/mqtt/setup.sh
	$(BIN)/python -m pytest -q tests/lanes/mqtt

# 200,000 frames, 1,000 faults and four minutes at 30 frames a second through the whole service; figures in soak.json.
test-soak: $(VENV)/.ready
	$(BIN)/python -m pytest -q --capture=no tests/lanes/soak

# Debian 13 booted in a container with the installed service: start, faults, sandbox, the firmware scripts. As root.
test-systemd: $(VENV)/.ready
	$(BIN)/python -m pytest -q --durations=5 tests/lanes/systemd

# Debian 13 on an emulated Raspberry Pi 4: installed by apt, started with the machine, after a power cut too. As root; nightly.
test-boot: $(VENV)/.ready
	$(BIN)/python -m pytest -q --durations=3 tests/lanes/boot

# The README's two commands on a fresh Debian 13. As root; some minutes.
test-fresh: $(VENV)/.ready
	$(BIN)/python -m pytest -q --capture=no tests/lanes/fresh

# The same bits on aarch64, and no more instructions than on record; root on Debian, for an emulator.
test-arm: $(VENV)/.ready
	$(BIN)/python -m pytest -q tests/lanes/arm64
	$(BIN)/python bench/arm_cost.py --check

warm: $(VENV)/.ready
	$(BIN)/edge-lpdpl warm

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The shipped models, from the data sets in DATA (see README). USPS and MADBase are written with one pen and blown up to one size:
# drawn writers show their models other pens. A subspace turned to USPS told a drawn 1 with a flag from a 7 no more.
DATA ?= ../shared/data
models: $(VENV)/.ready
	$(BIN)/lpdpl-train fit $(DATA)/chinese_mnist.zip --output edge_lpdpl/library/shipped_models/chinese15.safetensors
	$(BIN)/lpdpl-train fit $(DATA)/madbase.zip --drawn 40 --output edge_lpdpl/library/shipped_models/arabic10.safetensors
	$(BIN)/lpdpl-train fit $(DATA)/usps.h5 --drawn 40 --fixed-subspace --output edge_lpdpl/library/shipped_models/latin10.safetensors

# Machine code for Raspberry Pis, for the package that is built afterwards: there, no start waits for a compiler.
ENTRIES := edge_lpdpl.numeral.engine edge_lpdpl.page.searcher
kernels: $(VENV)/.ready
	for core in cortex-a53 cortex-a72 cortex-a76; do $(BIN)/python -m edge_lpdpl.jit.cross $$core edge_lpdpl/jit/shipped_kernels $(ENTRIES) || exit; done

# Our pipeline beside what people would use instead, in one run; before it, that the others compute what they say.
bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m pytest -q bench
	$(BIN)/python bench/peers.py

# Every method on the data sets in DATA, PyTorch's networks too, and the page. A day on two cores; goes on where it was
# stopped. Networks take long a split: they are run on the first one of each protocol, beside all others (--splits 1).
COMPARE := $(BIN)/lpdpl-train compare
CHINESE = $(COMPARE) $(DATA)/chinese_mnist.zip
TRADITIONAL = $(COMPARE) synthetic:writers=34,samples=10,script=traditional --protocol conventional
OWN := lpdpl,lpdpl-plain
EVERY_SPLIT := $(OWN),dpl,indpl,src,dlsi,lc-ksvd1,lc-ksvd2,knn,linear-svm,rbf-svm
EVERY_WRITER := $(OWN),dpl,knn,linear-svm,rbf-svm
PAPER_TOO := lpdpl,dpl,indpl,knn,linear-svm
results: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[deep]'
	$(CHINESE) --no-copies --protocol between-subject --groups 10 --methods $(EVERY_SPLIT)
	$(CHINESE) --no-copies --protocol conventional --methods $(EVERY_SPLIT)
	$(CHINESE) --no-copies --protocol within-subject --methods $(EVERY_SPLIT)
	$(CHINESE) --no-copies --protocol between-subject --methods $(EVERY_WRITER)
	$(CHINESE) --protocol between-subject --groups 10 --methods $(OWN)
	$(COMPARE) $(DATA)/madbase.zip --no-copies --protocol between-subject --groups 10 --methods $(EVERY_SPLIT)
	$(TRADITIONAL) --no-copies --methods $(EVERY_SPLIT)
	$(COMPARE) $(DATA)/usps.h5 --no-copies --protocol standard --kinds table,latency
	$(CHINESE) --no-copies --protocol conventional --splits 1
	$(CHINESE) --no-copies --protocol between-subject --groups 10 --splits 1
	$(COMPARE) $(DATA)/madbase.zip --no-copies --protocol between-subject --groups 10 --splits 1
	$(TRADITIONAL) --no-copies --splits 1
	$(CHINESE) --profile paper --protocol conventional --splits 1 --methods $(PAPER_TOO)
	$(CHINESE) --profile paper --protocol between-subject --groups 10 --splits 1 --methods $(PAPER_TOO)
	$(COMPARE) $(DATA)/madbase.zip --profile paper --protocol between-subject --groups 10 --splits 1 --methods $(PAPER_TOO)
	$(COMPARE) $(DATA)/usps.h5 --profile paper --protocol standard --methods $(PAPER_TOO)
	$(CHINESE) --no-copies --protocol between-subject --groups 10 \
		--kinds atoms,sensitivity,pairs,samples,robustness,unseen,glyphs,latency
	$(BIN)/lpdpl-train stream synthetic:writers=100,samples=10,size=32 --seeds 68 --output comparison/million.safetensors \
		--test $(DATA)/chinese_mnist.zip --folder comparison
	$(BIN)/lpdpl-train report --markdown docs/results.md

clean:
	rm -rf $(VENV) $(CAMERA_VENV) demo-output build dist .lanes edge_lpdpl/jit/shipped_kernels
