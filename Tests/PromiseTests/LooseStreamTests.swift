import TestSupport
import Testing

extension Promises {
  /// Streams that players play although their playlists break a rule of form come whole.
  @Suite(
    .timeLimit(.minutes(4)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct LooseStreamTests {
    /// Changes in the playlist of each film, and in its segments, as a program of Python: `text` is
    /// the playlist.
    private static let forms = [
      "text = text.replace('\\n', '\\r')",
      "text = text.replace('#EXTM3U', '\\n #EXTM3U x-tvg-url=\"http://127.0.0.1:1/epg.xml\"')",
      "text = text.replace('SEQUENCE:0', 'SEQUENCE: 0.0').replace('TYPE:VOD', 'TYPE: vod')",
      "text = text.replace('#EXTINF:', '#EXTINF: +').replace('#EXT-X-ENDLIST', '#EXT-X-ENDLIST\\0')",
      "text = text.replace('#EXTINF', '\\t#EXTINF').replace('.ts\\n', '.ts  \\n')",
    ]

    private func change(_ stream: StreamFeed, _ number: Int, _ program: String) throws {
      let words = """
        import base64, glob, os, re, subprocess, sys
        os.chdir(sys.argv[1])
        text = open('v.m3u8').read()
        def put(name, bytes):
          # The films share their files.
          if os.path.exists(name): os.remove(name)
          open(name, 'wb').write(bytes)
        def state(): return text, sum(os.stat(name).st_ino for name in os.listdir('.'))
        before = state()
        \(program)
        assert state() != before
        put('v.m3u8', text.encode())
        """
      let outcome = try ChildProcess.run([
        "python3", "-c", words, stream.feed.media + "/film\(number)",
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
    }

    @Test func aPlaylistMayBreakRulesOfForm() throws {
      let stream = try StreamFeed(.transport, films: Self.forms.count)
      let truth = try stream.truth()
      for (place, form) in Self.forms.enumerated() { try change(stream, place + 1, form) }
      try stream.mount()

      for (place, form) in Self.forms.enumerated() {
        #expect(try stream.feed.bytes(of: stream.film(place + 1)) == truth, "\(form)")
      }
    }

    /// A key is 16 bytes. Servers send it with the end of a line, or as text, and some playlists
    /// contain it.
    @Test func aKeyMayBeWrittenInOtherWays() throws {
      let ways = [
        "put('k.key', open('k.key', 'rb').read() + b'\\n')",
        "put('k.key', open('k.key', 'rb').read().hex().encode())",
        "put('k.key', base64.b64encode(open('k.key', 'rb').read()) + b'\\n')",
        """
        key = base64.b64encode(open('k.key', 'rb').read()).decode()
        text = re.sub('URI="[^"]*"', f'URI="data:;base64,{key}"', text)
        """,
      ]
      let stream = try StreamFeed(.encrypted, films: ways.count)
      let truth = try stream.truth()
      for (place, way) in ways.enumerated() { try change(stream, place + 1, way) }
      try stream.mount()

      for (place, way) in ways.enumerated() {
        #expect(try stream.feed.bytes(of: stream.film(place + 1)) == truth, "\(way)")
      }
    }

    /// RFC 8216 §3.2: EXT-X-MAP of a transport stream has its tables, and the segments need none.
    @Test func tablesMayLieApart() throws {
      let tables = """
        names = sorted(glob.glob('*.ts'), key=lambda name: (len(name), name))
        def packets(name):
          bytes = open(name, 'rb').read()
          return [bytes[at:at + 188] for at in range(0, len(bytes), 188)]
        def stream(packet): return (packet[1] & 31) << 8 | packet[2]
        """
      let bare = """
        \(tables)
        first = packets(names[0])
        put('map.ts', b''.join(next(p for p in first if stream(p) == id) for id in (0, 0x1000)))
        for name in names:
          put(name, b''.join(p for p in packets(name) if stream(p) not in (0, 17, 0x1000)))
        text = text.replace('#EXTINF', '#EXT-X-MAP:URI="map.ts"\\n#EXTINF', 1)
        """
      let stream = try StreamFeed(.transport, films: 2)
      let source = stream.feed.media + "/film1/" + (stream.shape.source.last ?? "")
      try change(stream, 1, bare)
      try stream.mount()

      for kind in ["v", "a"] {
        let frames = try StreamShapes.frames(kind, of: stream.film(1))
        #expect(
          try frames.hashes.count == StreamShapes.frames(kind, of: stream.film(2)).hashes.count)
        let original = try StreamShapes.frames(kind, of: source)
        #expect(kind == "a" || frames.hashes == original.hashes)
      }
    }

    /// RFC 8216 §5.2 demands padding. Players keep all bytes where there is none.
    @Test func encryptedSegmentsMayLackPadding() throws {
      let without = """
        key, null = open('k.key', 'rb').read().hex(), bytes([0x47, 0x1F, 0xFF, 0x10]) + b'\\xff' * 184
        def cipher(option, vector, bytes):
          words = ['openssl', 'enc', option, '-aes-128-cbc', '-K', key, '-iv', vector]
          return subprocess.run(words + WORDS, input=bytes, capture_output=True, check=True).stdout
        names = re.findall(r'^[^#\\s].*$', text, re.M)
        vectors = re.findall('IV=0x([0-9a-fA-F]+)', text)
        for number, name in enumerate(names):
          vector = vectors[0] if vectors else f'{number:032x}'
          WORDS = []
          plain = cipher('-d', vector, open(name, 'rb').read())
          plain += null * (-len(plain) // 188 % 4)
          WORDS = ['-nopad']
          odd = plain + null
          cut = len(odd) // 16 * 16
          put(name, CHANGE)
        """
      let ways = [
        "cipher('-e', vector, plain)", "cipher('-e', vector, odd[:cut]) + odd[cut:]",
        "cipher('-e', vector, odd + bytes(-len(odd) % 16))",
      ].map { without.replacing("CHANGE", with: $0) }
      let stream = try StreamFeed(.encrypted, films: ways.count + 1)
      for (place, way) in ways.enumerated() { try change(stream, place + 2, way) }
      try stream.mount()

      for kind in ["v", "a"] {
        let truth = try StreamShapes.frames(kind, of: stream.film(1)).hashes
        for place in ways.indices {
          #expect(try StreamShapes.frames(kind, of: stream.film(place + 2)).hashes == truth)
        }
      }
    }
  }
}
