import Glibc
import TestSupport
import Testing

extension Promises {
  /// File handles, as a server of NFS gives them to its clients.
  @Suite(.enabled(if: geteuid() == 0, "open_by_handle_at(2) needs root"), .timeLimit(.minutes(2)))
  struct HandleTests {
    /// Prints what becomes of the handle of each path in argv[2:], once the kernel has dropped all
    /// inodes that it does not need. argv[1] is the mount.
    private static let script = """
      import ctypes, os, struct, sys
      libc = ctypes.CDLL(None, use_errno=True)
      def handle(path):
          raw, mount = ctypes.create_string_buffer(136), ctypes.c_int()
          ctypes.memmove(raw, struct.pack("I", 128), 4)
          if libc.name_to_handle_at(-100, path.encode(), raw, ctypes.byref(mount), 0):
              raise OSError(ctypes.get_errno(), path)
          return raw.raw
      def opened(raw):
          root = os.open(sys.argv[1], os.O_RDONLY)
          try:
              file = libc.open_by_handle_at(root, ctypes.create_string_buffer(raw, len(raw)), os.O_RDONLY)
              if file < 0: return os.strerror(ctypes.get_errno())
              try:
                  if os.path.isdir(f"/proc/self/fd/{file}"): return sorted(os.listdir(file))[0]
                  return os.pread(file, 8, 4).decode("latin1")
              finally: os.close(file)
          finally: os.close(root)
      handles = [handle(path) for path in sys.argv[2:]]
      def drop():
          with open("/proc/sys/vm/drop_caches", "w") as file: file.write("2")
      for raw in handles:
          drop()
          print(opened(raw).encode("unicode_escape").decode())
      # The number of the last one, changed: nothing ever had it.
      for number in [(0, 99999), (0, 0x7fffffff), (5, 16), (0x80000000, 77777)]:
          raw = bytearray(handles[0])
          raw[8:16] = struct.pack("II", *number)
          print(opened(bytes(raw)))
      """

    @Test(arguments: [false, true])
    func aHandleHoldsAfterTheKernelHasDroppedTheInode(inAFolder: Bool) throws {
      let feed = try MountedFeed()
      try feed.origin.put("WEBVTT\n\nhello", at: "/en.vtt", type: "text/vtt")
      var item = WrittenFeed.Item(1)
      item.more =
        "<podcast:transcript url=\"\(feed.origin.url("/en.vtt"))\" type=\"text/vtt\" language=\"en\"/>"
      try WrittenFeed(pages: [[item, WrittenFeed.Item(2)]]).serve(by: feed)
      var options = ["--sizes", "open"]
      if inAFolder {
        try feed.serve([PatternFile(name: "a", size: 1000)])
        options += ["--feed", feed.origin.url("/feed")]
      }
      try feed.mount("/written", options: options)
      let place = feed.mountPoint + (inAFolder ? "/Written" : "")
      let names = [
        "/0001.mp4", "/0001.en.vtt", "/playlist.m3u8", "/.feedfs/status.json", "/by-title", "",
      ]
      let paths = names.map { name in
        (name.hasPrefix("/.feedfs") ? feed.mountPoint : place) + name
      }
      // A sidecar has its size by now, so that its open is answered at once.
      _ = try feed.bytes(of: paths[1])
      let outcome = try ChildProcess.run(
        ["python3", "-c", Self.script, feed.mountPoint] + paths, timeout: .seconds(60))
      let lines = outcome.out.split(separator: "\n").map(String.init)
      try #require(lines.count == names.count + 4, "\(outcome)")
      let stale = String(cString: strerror(ESTALE))
      #expect(!lines.prefix(names.count).contains(stale), "\(lines)")
      #expect(lines[1] == "TT\\n\\nhell" && lines[2].hasPrefix("M3U"), "\(lines)")
      #expect(lines.suffix(4).allSatisfy { $0 == stale }, "\(lines)")
    }
  }
}
