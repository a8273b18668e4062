import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The resources of streams come whole in whatever words they are sent.
  @Suite(
    .timeLimit(.minutes(4)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamWordsTests {
    @Test(arguments: [
      (OriginFault.shortpart, 30_000), (.partas200, 0), (.longpart, 500), (.ifrange200, 0),
    ])
    func aStreamComesWholeInWhateverWordsItIsSent(fault: OriginFault, by: Int) throws {
      for shape in [StreamShape.transport, .oneFile] {
        let stream = try StreamFeed(shape)
        let truth = try stream.truth()
        try stream.feed.origin.fault(fault, below: "/files/film1/", ["by": "\(by)"])
        try stream.mount()

        #expect(try stream.feed.bytes(of: stream.film(1)) == truth)
      }
    }

    /// Sites that keep their segments at picture hosts put a whole picture in front of each.
    @Test func segmentsBehindPicturesAreFound() throws {
      let stream = try StreamFeed(.transport)
      let truth = try stream.truth()
      let program = """
        import glob, struct, sys
        def chunk(name, data): return struct.pack('>I', len(data)) + name + data + bytes(4)
        for number, path in enumerate(sorted(glob.glob(sys.argv[1] + '/*.ts'))):
            head = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', bytes(13)) + chunk(b'IDAT', bytes(50 + number * 7)) + chunk(b'IEND', b'')
            segment = open(path, 'rb').read()
            open(path, 'wb').write(head + segment)
        """
      let outcome = try ChildProcess.run([
        "python3", "-c", program, stream.feed.media + "/film1",
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
      try stream.mount()

      #expect(try stream.feed.bytes(of: stream.film(1)) == truth)
    }
  }
}
