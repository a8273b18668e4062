import Glibc
import TestSupport
import Testing

extension Promises {
  /// A listing of a folder has each name once, and all of them, however few fit into an answer.
  @Suite(.serialized, .timeLimit(.minutes(3)))
  struct FolderListingTests {
    private static let kinds = ["subtitles", "covers", "nfo", "notes"]
    private static let folders = ["", "by-title", "new", "started", ".feedfs"]

    /// All choices of `--sidecars`.
    private static let choices = (0..<1 << kinds.count).map { choice in
      let chosen = kinds.enumerated().filter { choice & 1 << $0.offset != 0 }.map(\.element)
      return chosen.isEmpty ? "none" : chosen.joined(separator: ",")
    }

    /// Serves entries with sidecars of all kinds, with some and with none.
    private func serve(by feed: any Drive) throws {
      let text = "<description>Guests: Ada</description>"
      let tracks = ["en", "de", "de", "fr"].enumerated().map { number, language in
        let url = feed.origin.url("/\(number).vtt")
        return "<podcast:transcript url=\"\(url)\" type=\"text/vtt\" language=\"\(language)\"/>"
      }.joined()
      let picture =
        "<media:thumbnail xmlns:media=\"http://search.yahoo.com/mrss/\" url=\"\(feed.origin.url("/1.jpg"))\"/>"
      let more = [text + tracks + picture, "", text, tracks, picture, text + tracks]
      let items = more.enumerated().map { WrittenFeed.Item($0.offset + 1, more: $0.element) }
      var written = WrittenFeed(pages: [items])
      written.title =
        "Written</title><image><url>\(feed.origin.url("/cover.jpg"))</url></image><title>"
      try written.serve(by: feed)
    }

    /// Returns the number of names besides the films, which this choice has in a folder of entries.
    private func sidecars(_ choice: String) -> Int {
      let each = ["subtitles": 12, "covers": 2, "nfo": 6, "notes": 3]
      return each.filter { choice.contains($0.key) }.reduce(0) { $0 + $1.value }
    }

    @Test(arguments: choices)
    func eachNameIsThereOnceWhateverTheSizeOfTheAnswers(sidecars choice: String) throws {
      let feed = try DirectDrive()
      try serve(by: feed)
      try feed.mount("/written", options: ["--sidecars", choice, "--sizes", "open"])
      for folder in Self.folders {
        let all = try feed.names(in: folder, atOnce: 1000)
        #expect(Set(all).count == all.count, "\(folder): \(all)")
        for most in 1...all.count + 1 {
          #expect(try feed.names(in: folder, atOnce: most) == all, "\(folder), \(most) at once")
        }
      }
      #expect(try feed.names(in: "by-title", atOnce: 1000).count == 6 + sidecars(choice))
      let films = try feed.names(in: "", atOnce: 1000).filter { $0.hasPrefix("00") }
      #expect(films.count == 6 + sidecars(choice))
    }

    /// getdents(2) with a buffer for one name, for some, and for all.
    @Test(arguments: ["subtitles,notes", "subtitles,covers,nfo,notes"])
    func eachNameIsThereOnceWhateverBufferAProgramBrings(sidecars choice: String) throws {
      let feed = try MountedFeed()
      try serve(by: feed)
      try feed.mount("/written", options: ["--sidecars", choice, "--sizes", "open"])
      let script = """
        import ctypes, os, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        def names(path, size):
            folder, found = os.open(path, os.O_RDONLY), []
            buffer = ctypes.create_string_buffer(size)
            while True:
                count = libc.syscall(ctypes.c_long({"x86_64": 217}.get(os.uname().machine, 61)), folder, buffer, size)
                if count < 0: raise OSError(ctypes.get_errno(), path)
                if not count: return sorted(found)
                place = 0
                while place < count:
                    length = struct.unpack_from("H", buffer.raw, place + 16)[0]
                    found.append(buffer.raw[place + 19:place + length].split(b"\\0")[0])
                    place += length
        for folder in ["", "by-title", "new", ".feedfs"]:
            path = os.path.join(sys.argv[1], folder)
            all = names(path, 1 << 20)
            assert len(set(all)) == len(all), (folder, all)
            for size in [96, 128, 200, 333, 512, 1000, 4096, 32768]:
                assert names(path, size) == all, (folder, size)
        """
      let outcome = try ChildProcess.run(["python3", "-c", script, feed.mountPoint])
      #expect(outcome.status == 0, "\(outcome.err)")
    }
  }
}
