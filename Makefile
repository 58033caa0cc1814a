# `make help` lists the targets. Each target creates the environment that it needs.
# The comment `## TIME | ROOT | TEXT` behind a target is its line in `make help`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo warm test test-slow lanes-ready fuzz-ready test-arm test-camera test-virtual-camera test-mqtt \
	test-web test-soak test-systemd test-attacks test-bounds plain-python checked-indices test-fuzz mutants test-boot test-fresh \
	lint lock sbom models kernels bench results clean

# The tests start hundreds of processes. Each would compile the modules of the project anew.
unexport PYTHONDONTWRITEBYTECODE

# First what the Pi needs, then what trains, then what tests: a core can compile the kernels while the other installs.
# Python compiles the modules that it imports, a third of those that are installed. hatchling builds this project each time
# that pip installs it; it is installed once, because pip would fetch it each time.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-build-isolation
$(VENV)/.device: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "edge-lpdpl needs Python 3.11 or newer: make PYTHON=python3.13"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' || \
		{ echo "this Python cannot create environments: apt install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) hatchling editables
	$(PIP) --editable .
	@touch $@

$(VENV)/.train: $(VENV)/.device
	$(PIP) --editable '.[train]'
	@touch $@

$(VENV)/.ready: $(VENV)/.train
	$(PIP) --editable '.[train,test]'
	@touch $@

help: ## | | print this list
	@printf '%-20s %-12s %-6s %s\n' target minutes root \
		'what it does (minutes: on two cores, from nothing; (root): only to install a package)'
	@awk -F ' *(:.*## *|[|]) *' '/^[a-z-]+:.*## /{printf "%-20s %-12s %-6s %s\n", $$1, $$2, $$3, $$4}' $(MAKEFILE_LIST)

demo: ## 2 | | train a small model, read pictures with it and with the shipped ones, draw the steps
	@$(MAKE) --no-print-directory --jobs=2 warm demo-output/small.safetensors
	$(BIN)/edge-lpdpl demo --model demo-output/small.safetensors --output demo-output/small
	$(BIN)/edge-lpdpl demo --output demo-output
	@echo "to use the commands by name: . $(BIN)/activate"

.PHONY: demo-output/small.safetensors
demo-output/small.safetensors: $(VENV)/.train
	@mkdir -p $(@D)
	$(BIN)/lpdpl-train fit synthetic:writers=20,samples=2 --output $@

TOGETHER = --numprocesses=auto --maxprocesses=8 --dist=worksteal
# One core compiles the kernels while the other installs the rest and checks the sources; then both run tests.
test: ## 4 | | all tests that are quick, lint and type checks
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target warm lint
	$(BIN)/python -m pytest -q -m 'not slow' $(TOGETHER)

test-slow: $(VENV)/.ready warm ## 6 | | the other files of tests: they train models, compile kernels, start services
	$(BIN)/python -m pytest -q -m slow $(TOGETHER)

CAMERA_VENV ?= .venv-camera
$(CAMERA_VENV)/.ready: pyproject.toml tests/lanes/camera/setup.sh
	tests/lanes/camera/setup.sh $(PYTHON) $(CAMERA_VENV)

test-camera: $(CAMERA_VENV)/.ready ## 2 | (root) | the service on the real picamera2 with a model of a camera
	$(CAMERA_VENV)/bin/python -m pytest -q tests/lanes/camera

test-virtual-camera: $(VENV)/.ready ## 1 | root | the service on the real picamera2 and libcamera's virtual camera
	$(BIN)/python -m pytest -q tests/lanes/virtual_camera

test-mqtt: $(VENV)/.ready ## 2-4 | (root) | decisions through a real mosquitto, and hostile brokers
	tests/lanes/mqtt/setup.sh
	$(BIN)/python -m pytest -q tests/lanes/mqtt

test-web: $(VENV)/.ready ## 2 | (root) | the page in a headless Chromium, on a desk and a phone; pictures in .lanes/web
	tests/lanes/web/setup.sh
	$(BIN)/python -m pytest -q tests/lanes/web

test-soak: $(VENV)/.ready ## 7-8 | | 200,000 frames, 1,000 faults, four minutes at 30 frames a second, viewers; writes soak.json
	$(BIN)/python -m pytest -q --capture=no tests/lanes/soak

# Tests of machines wait more than they compute.
TWO = --numprocesses=2 --dist=worksteal
test-systemd: $(VENV)/.ready ## 5-6 | root | the installed service in a Debian 13 container: faults, sandbox, scripts
	$(BIN)/python -m pytest -q --durations=5 $(TWO) tests/lanes/systemd

test-attacks: $(VENV)/.ready ## 5 | root | hostile cards, Pis, neighbours and disks, against scripts that run as root
	$(BIN)/python -m pytest -q --durations=5 $(TWO) tests/lanes/attacks

test-boot: $(VENV)/.ready ## 40+ | root | Debian 13 on an emulated Raspberry Pi 4: install, boot, 21 power cuts; nightly
	$(BIN)/python -m pytest -q --durations=3 tests/lanes/boot

test-fresh: $(VENV)/.ready ## about 10 | root | make demo and make test on a fresh Debian 13
	$(BIN)/python -m pytest -q --capture=no tests/lanes/fresh

test-arm: $(VENV)/.ready ## 4-8 | (root) | same bits on emulated Cortex-A53 and A72, no more instructions than on record
	$(BIN)/python -m pytest -q tests/lanes/arm64
	$(BIN)/python bench/arm_cost.py --check

# As plain Python kernels take a hundred times longer: hypothesis has a tenth of the examples, and rules/test_frames.py,
# whose frames are large, is left out. Both sides have tests/lanes/bounds, whole pages that are small.
KERNELS := $(addprefix tests/unit/edge_lpdpl/,numeral/kernels page/kernels number/test_finder.py)
KERNELS += $(addprefix tests/unit/edge_lpdpl/jit/test_,bits.py memory.py registers.py record.py)
KERNELS += tests/lanes/bounds
test-bounds: $(VENV)/.ready ## 3-4 | | the kernels' tests as plain Python, and compiled with every index checked
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target checked-indices plain-python

plain-python: $(VENV)/.ready
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -k 'not numpy' --ignore-glob '*/rules/test_frames.py' $(KERNELS)

checked-indices: $(VENV)/.ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.lanes/bounds $(BIN)/python -m pytest -q -k 'not numpy' $(KERNELS)

FUZZ_SECONDS ?= 60
test-fuzz: fuzz-ready ## 4 | | fuzz model, configuration, picture, requests and pages, FUZZ_SECONDS=60 each
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS)

fuzz-ready: $(VENV)/.ready
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'

# Lanes that run beside each other find installed what they share: apt's lock and the environment are for one at a time.
lanes-ready: fuzz-ready $(CAMERA_VENV)/.ready
	tests/lanes/mqtt/setup.sh
	tests/lanes/web/setup.sh
	PYTHONPATH=bench $(BIN)/python tests/lanes/ready.py

# `python tests/mutants/run.py --help` names its options: --quick runs only the tests that call the changed function;
# without --sample it tries all 4,000 changes. The minutes were measured on one busy core.
MUTANTS ?= 150
SEED ?= 0
mutants: $(VENV)/.ready ## 15-20 | | change three rooms at MUTANTS=150 places each, drawn by SEED=0, count what the tests notice
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/python tests/mutants/run.py --sample $(MUTANTS) --seed $(SEED)

warm: $(VENV)/.device ## 1-2 | | compile the kernels for this machine
	$(BIN)/edge-lpdpl warm

lint: $(VENV)/.ready ## 1 | | ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# NumPy and Pillow come from apt on a Pi: picamera2 is built for that NumPy. The locks hold for every processor and every
# Python that the project supports.
COMPILE = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command 'make lock'
lock: $(VENV)/.ready ## 1 | | renew locks/: versions and digests of what a Pi takes from PyPI, and of what builds the wheel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	$(COMPILE) pyproject.toml --no-emit-package numpy --no-emit-package pillow --output-file locks/pi.txt
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' | \
		$(COMPILE) - --output-file locks/build.txt

sbom: $(VENV)/.ready ## 1 | | write dist/edge-lpdpl-VERSION.cdx.json: what a Pi runs, with digests (CycloneDX)
	$(BIN)/python firmware_scripts/make_sbom.py

# The data sets are in the folder DATA (docs/method.md names them). USPS and MADBase are written with one pen and
# enlarged to one size, so their models learn from drawn writers with other pens too. cheque15 learns from drawn writers
# only.
DATA ?= ../shared/data
models: $(VENV)/.ready ## 20-30 | | train the shipped models from the data sets in DATA=folder
	$(BIN)/lpdpl-train fit $(DATA)/chinese_mnist.zip --drawn 40 -o edge_lpdpl/library/shipped_models/chinese15.safetensors
	$(BIN)/lpdpl-train fit $(DATA)/madbase.zip --drawn 40 --distances-alone \
		-o edge_lpdpl/library/shipped_models/arabic10.safetensors
	$(BIN)/lpdpl-train fit $(DATA)/usps.h5 $(DATA)/mnist_part --drawn 100 --wide-copies --bent-copies --lines 2000 \
		-o edge_lpdpl/library/shipped_models/latin10.safetensors
	$(BIN)/lpdpl-train fit synthetic:script=cheque,writers=150,samples=3 --drawn 40 --wide-copies \
		-o edge_lpdpl/library/shipped_models/cheque15.safetensors

# build_deb.sh packs these files, so that no start on a Pi waits for a compiler.
ENTRIES := edge_lpdpl.numeral.engine edge_lpdpl.page.searcher edge_lpdpl.number.finder
kernels: $(VENV)/.ready ## 3-4 | | compile the kernels for Cortex-A53, A72 and A76, before building a package
	for core in cortex-a53 cortex-a72 cortex-a76; do \
		$(BIN)/python -m edge_lpdpl.jit.cross $$core edge_lpdpl/jit/shipped_kernels $(ENTRIES) \
		|| exit; done

# The tests check first that the other implementations compute what they claim.
bench: $(VENV)/.ready ## a few | | time the pipeline beside other implementations, in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m pytest -q bench
	$(BIN)/python bench/peers.py

# Installs PyTorch and torchvision. A stopped run continues where it was. train_host/compare/experiments.toml lists what
# is compared; `lpdpl-train compare FOLDER --only NAME` runs one table, NAME/METHOD one row.
results: $(VENV)/.ready ## a day | | compare all methods on the data in DATA=folder, write docs/results.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[deep]'
	$(BIN)/lpdpl-train compare $(DATA) --only all
	$(BIN)/lpdpl-train stream synthetic:writers=100,samples=10,size=32 --seeds 68 --output comparison/million.safetensors \
		--test $(DATA)/chinese_mnist.zip --folder comparison
	$(BIN)/lpdpl-train report --markdown docs/results.md

clean: ## | | delete environments and everything that was built
	rm -rf $(VENV) $(CAMERA_VENV) demo-output build dist .lanes edge_lpdpl/jit/shipped_kernels
