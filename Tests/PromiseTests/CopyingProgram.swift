/// A program that copies `$1` to `$2`, for a shell.
enum CopyingProgram: String, CaseIterable, Sendable {
  case cp, cat, dd, direct, head, rsync, sparse, tar, tarSparse, bsdtar, sevenZip, image
  case mapping, sendfile, python

  var command: String {
    switch self {
    case .cp: "cp \"$1\" \"$2\""
    case .cat: "cat \"$1\" >\"$2\""
    case .dd: "dd if=\"$1\" of=\"$2\" bs=64k status=none"
    case .direct: "dd if=\"$1\" of=\"$2\" bs=64k iflag=direct status=none"
    case .head: "head -c 99999999 \"$1\" >\"$2\""
    case .rsync: "rsync -S \"$1\" \"$2\""
    case .sparse: "cp --sparse=always \"$1\" \"$2\""
    case .tar: Self.archive("tar cf -")
    case .tarSparse: Self.archive("tar cSf -")
    case .bsdtar: Self.archive("bsdtar cf -")
    case .sevenZip:
      "7z a -mx0 \"$2.7z\" \"$1\" >&2 && 7z e -so \"$2.7z\" >\"$2\"; s=$?; rm \"$2.7z\"; (exit $s)"
    case .image:
      """
      xorriso -as mkisofs -quiet -r -o "$2.iso" "$1" >&2 && 7z e -so "$2.iso" >"$2"
      s=$?; rm "$2.iso"; (exit $s)
      """
    case .mapping:
      Self.python("if size: out.write(mmap.mmap(f, size, prot=mmap.PROT_READ))")
    // sendfile(2) goes by the kernel's size of the file, whatever `stat` says.
    case .sendfile: Self.python("while os.sendfile(out.fileno(), f, None, 1 << 20): pass")
    case .python: Self.python("out.write(open(sys.argv[1], 'rb').read())")
    }
  }

  var isInstalled: Bool {
    switch self {
    case .cp, .cat, .dd, .direct, .head, .sparse, .tar, .tarSparse: true
    case .rsync, .bsdtar: PromiseTests.isInstalled(rawValue)
    case .sevenZip: PromiseTests.isInstalled("7z")
    case .image: PromiseTests.isInstalled("7z") && PromiseTests.isInstalled("xorriso")
    case .mapping, .sendfile, .python: PromiseTests.isInstalled("python3")
    }
  }

  private static func archive(_ program: String) -> String {
    """
    \(program) -C "${1%/*}" "${1##*/}" >"$2.tar" && tar xOf "$2.tar" >"$2"; s=$?; rm "$2.tar"; (exit $s)
    """
  }

  private static func python(_ body: String) -> String {
    let size = body.contains("size") ? "size = os.fstat(f).st_size\n" : ""
    return """
      python3 -c "import mmap, os, sys
      f = os.open(sys.argv[1], os.O_RDONLY)
      \(size)with open(sys.argv[2], 'wb', 0) as out:
        \(body)" "$1" "$2"
      """
  }
}
