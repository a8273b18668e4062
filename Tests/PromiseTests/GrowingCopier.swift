import TestSupport

/// A program that copies the film `$1` to `$2`, for a shell.
enum GrowingCopier: String, CaseIterable, Sendable {
  case cat, cp, cpArchive, install, mv, dd, tar, zip, rsync, rsyncInPlace, node, perl
  case cpSparse, installOver, ddDirect, ddSparse, split, tarSparse, bsdtar, cpio, sevenZip, zstd
  case curl, rsyncAppend, rsyncSparse, nodeStream, busyboxCopy, busyboxCat, busyboxTar, busyboxGzip
  case pythonCopy, pythonCopyFile, sendfile, splice, mapping

  var command: String {
    switch self {
    case .cat: "cat \"$1\" >\"$2\""
    case .cp: "cp \"$1\" \"$2\""
    case .cpArchive: "cp -a \"$1\" \"$2\""
    case .install: "install -m644 \"$1\" \"$2\""
    // The film stays, so that is an error. The copy is whole all the same.
    case .mv: "mv \"$1\" \"$2\""
    case .dd: "dd if=\"$1\" of=\"$2\" bs=64k"
    case .tar: Self.archive("tar ")
    case .zip:
      """
      set -e; zip -j "$2.zip" "$1"
      python3 -c "import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      open(sys.argv[2], 'wb').write(archive.read(archive.namelist()[0]))" "$2.zip" "$2"
      """
    case .rsync: "rsync \"$1\" \"$2\""
    case .rsyncInPlace: "rsync -a --inplace \"$1\" \"$2\""
    case .rsyncSparse: "rsync -aS \"$1\" \"$2\""
    // It asks whether the copy is as long already, and compares what the copy has.
    case .rsyncAppend: "truncate -s 1400000 \"$2\"; rsync --append-verify \"$1\" \"$2\""
    case .cpSparse: "cp --sparse=always \"$1\" \"$2\""
    case .installOver: "echo >\"$2\"; install -C \"$1\" \"$2\""
    case .ddDirect: "dd if=\"$1\" of=\"$2\" bs=64k iflag=direct"
    case .ddSparse: "dd if=\"$1\" of=\"$2\" bs=1M conv=sparse"
    case .split: "split -b 300000 \"$1\" \"$2.\" && cat \"$2\".* >\"$2\""
    case .tarSparse: Self.archive("tar --sparse -")
    case .bsdtar: Self.archive("bsdtar ")
    case .cpio:
      """
      set -e; cd "${1%/*}"; echo "${1##*/}" | cpio -o >"$2.cpio"
      cpio -i --to-stdout <"$2.cpio" >"$2"
      """
    case .sevenZip: "set -e; 7z a -mx0 \"$2.7z\" \"$1\"; 7z x -so \"$2.7z\" >\"$2\""
    case .zstd: "zstd \"$1\" -o \"$2.zst\" && zstd -dc \"$2.zst\" >\"$2\""
    case .curl: "curl -f \"file://$1\" -o \"$2\""
    case .nodeStream:
      """
      node -e 'const fs = require("fs"), [, from, to] = process.argv
      require("stream").pipeline(fs.createReadStream(from), fs.createWriteStream(to),
        error => process.exit(error ? 1 : 0))' "$1" "$2"
      """
    case .node:
      "node -e 'require(\"fs\").copyFileSync(process.argv[1], process.argv[2])' \"$1\" \"$2\""
    case .perl: "perl -MFile::Copy -e 'copy($ARGV[0], $ARGV[1]) or die' \"$1\" \"$2\""
    case .busyboxCopy: "busybox cp \"$1\" \"$2\""
    case .busyboxCat: "busybox cat \"$1\" >\"$2\""
    case .busyboxGzip: "busybox gzip -c \"$1\" >\"$2.gz\" && gzip -dc \"$2.gz\" >\"$2\""
    case .busyboxTar: Self.archive("busybox tar ")
    case .pythonCopy: Self.python("shutil.copy(sys.argv[1], sys.argv[2])")
    case .pythonCopyFile: Self.python("shutil.copyfile(sys.argv[1], sys.argv[2])")
    case .sendfile:
      Self.python("while os.sendfile(out, file, None, 5000): os.fstat(file)", opens: true)
    case .splice:
      Self.python("while n := os.splice(file, to, 65536): os.splice(end, out, n)", opens: true)
    case .mapping:
      Self.python(
        """
        size = os.fstat(file).st_size
        os.write(out, mmap.mmap(file, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)[:])
        while more := os.pread(file, 1 << 20, os.fstat(out).st_size): os.write(out, more)
        """, opens: true)
    }
  }

  var isInstalled: Bool {
    switch self {
    case .cat, .cp, .cpArchive, .cpSparse, .install, .installOver, .mv, .split: true
    case .dd, .ddDirect, .ddSparse, .tar, .tarSparse: true
    case .zip, .node, .perl, .bsdtar, .cpio, .zstd, .curl: PromiseTests.isInstalled(rawValue)
    case .sevenZip: PromiseTests.isInstalled("7z")
    case .nodeStream: PromiseTests.isInstalled("node")
    case .rsync, .rsyncInPlace, .rsyncSparse, .rsyncAppend: PromiseTests.isInstalled("rsync")
    case .busyboxCopy, .busyboxCat, .busyboxTar, .busyboxGzip: PromiseTests.isInstalled("busybox")
    case .pythonCopy, .pythonCopyFile, .sendfile, .mapping: PromiseTests.isInstalled("python3")
    case .splice:
      // Python has it from 3.10 on.
      (try? ChildProcess.run(["python3", "-c", "import os; os.splice"]).status) == 0
    }
  }

  private static func archive(_ program: String) -> String {
    "set -e; \(program)cf \"$2.tar\" -C \"${1%/*}\" \"${1##*/}\"; tar xOf \"$2.tar\" >\"$2\""
  }

  private static func python(_ body: String, opens: Bool = false) -> String {
    let files = """
      file = os.open(sys.argv[1], os.O_RDONLY)
      out = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
      end, to = os.pipe()

      """
    return """
      python3 -c "import mmap, os, shutil, sys
      \(opens ? files : "")\(body)" "$1" "$2"
      """
  }
}
