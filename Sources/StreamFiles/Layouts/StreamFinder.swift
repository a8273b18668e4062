package import Streams
package import World

/// Finds the tracks behind the address of a playlist or a manifest.
package struct StreamFinder: Sendable {
  /// The number of first bytes that show whether an address leads to an MP4 file or to a playlist.
  private static let beginning = 512

  let pieces: PieceClient
  let wishes: StreamWishes
  /// Tells whether a stream has ended.
  let wall: WallClock

  package init(pieces: PieceClient, wishes: StreamWishes, wall: WallClock) {
    (self.pieces, self.wishes, self.wall) = (pieces, wishes, wall)
  }

  /// Returns the stream that a web page offers.
  package func source(of offered: OfferedChoice) async throws -> StreamSource {
    switch offered {
    case .source(let source): return source
    case .playlist(let address, let headers, _):
      return try await source(at: PiecePlace(address: address, headers: headers))
    case .any(let address):
      let place = PiecePlace(address: address)
      let first = try? await pieces.read(place, 0..<Self.beginning, isMedia: false)
      if let first, StreamContainer(beginning: first.bytes) == .mp4 {
        return StreamSource(file: address)
      }
      return try await source(at: place)
    case .playlists(let picture, let sound, let headers):
      async let other = playlist(at: PiecePlace(address: sound, headers: headers))
      let first = try await playlist(at: PiecePlace(address: picture, headers: headers))
      var source = StreamSource(picture: first, sound: try await other)
      for track in source.tracks.indices { source.tracks[track].headers = headers }
      return source
    }
  }

  /// Returns the stream at `place`.
  ///
  /// - Throws: the reason, if there is no stream at `place`, or if no file can be made of the
  ///   stream.
  package func source(at place: PiecePlace) async throws(PieceError) -> StreamSource {
    let (bytes, url) = try await pieces.document(at: place, limit: StreamLimit.playlist.value)
    do {
      var source = try await source(bytes, at: url, place)
      for track in source.tracks.indices { source.tracks[track].headers = place.headers }
      return source
    } catch {
      var trouble = PieceError(any: error)
      // Something else than a playlist came, such as a login page. So the playlist's address may
      // have expired.
      if !Self.isPlaylist(bytes), !Self.isManifest(bytes) { trouble.mayBeGone = true }
      throw trouble
    }
  }

  private func source(
    _ bytes: [UInt8], at url: String, _ place: PiecePlace
  ) async throws -> StreamSource {
    guard Self.isPlaylist(bytes) else {
      return try Manifest(bytes, at: url, now: wall.seconds).source(wishes)
    }
    guard try MasterPlaylist.isMaster(bytes) else {
      return StreamSource(try MediaPlaylist(bytes, at: url))
    }
    let master = try MasterPlaylist(bytes, at: url)
    let choice = try PlaylistChoice(master, wishes)
    async let sound = media(choice.sound, master, place)
    guard let picture = try await media(choice.picture, master, place) else {
      throw StreamError.malformed("a master playlist without variants")
    }
    return choice.source(picture: picture, sound: try await sound)
  }

  private func media(
    _ address: String?, _ master: MasterPlaylist, _ place: PiecePlace
  ) async throws -> MediaPlaylist? {
    guard let address else { return nil }
    let own = PiecePlace(address: address, headers: place.headers)
    return try await playlist(at: own, variables: master.variables)
  }

  private func playlist(
    at place: PiecePlace, variables: PlaylistVariables = PlaylistVariables()
  ) async throws -> MediaPlaylist {
    let (bytes, url) = try await pieces.document(at: place, limit: StreamLimit.playlist.value)
    guard Self.isPlaylist(bytes) else {
      throw StreamError.malformed("something else came instead of a playlist")
    }
    return try MediaPlaylist(bytes, at: url, variables: variables)
  }

  /// Whether bytes are a DASH manifest.
  static func isManifest(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes.prefix(2048), as: UTF8.self).contains("<MPD")
  }

  /// Whether bytes are a playlist (RFC 8216 §4.1).
  package static func isPlaylist(_ bytes: [UInt8]) -> Bool {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    return text.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }.starts(with: "#EXTM3U".utf8)
  }
}
