// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Blocks
import Markup

@testable import Streams

/// Checks for any bytes that each reader of streams ends, and that its places are places.
///
/// The first byte chooses the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch first & 7 {
  case 0: readMedia(rest)
  case 1: readMaster(rest)
  case 2: readTransport(rest)
  case 3: readPacked(rest)
  case 4: readTexts(rest)
  case 5: readParameters(rest)
  default: readManifest(rest)
  }
  return 0
}

private let address = "https://h.org/film/v.m3u8?token=x"

private func readMedia(_ bytes: [UInt8]) {
  guard let playlist = try? MediaPlaylist(bytes, at: address) else { return }
  check(playlist.track)
}

private func check(_ track: TrackSource) {
  var time: Duration = .zero
  for segment in track.segments {
    precondition(track.addresses.indices.contains(segment.part.address), "no address")
    precondition(track.sections.indices.contains(segment.section), "no section")
    precondition(
      segment.initialization.map(track.initializations.indices.contains) ?? true, "no init")
    precondition(segment.part.key.map { track.keys.indices.contains($0.address) } ?? true, "no key")
    precondition(segment.duration >= .zero, "a duration below zero")
    time += segment.duration
  }
  for address in track.addresses + track.keys {
    precondition(
      address.hasPrefix("http://") || address.hasPrefix("https://") || DataAddress.isOne(address),
      "not of the web")
  }
}

private func readMaster(_ bytes: [UInt8]) {
  _ = try? MasterPlaylist.isMaster(bytes)
  guard let master = try? MasterPlaylist(bytes, at: address) else { return }
  var wishes = StreamWishes()
  wishes.maxHeight = bytes.count % 2 == 0 ? 720 : nil
  wishes.languages = bytes.count % 3 == 0 ? ["de", "en-US"] : []
  wishes.soundOnly = bytes.count % 5 == 0
  guard let choice = try? PlaylistChoice(master, wishes) else { return }
  wishes.before = choice.name
  guard let again = try? PlaylistChoice(master, wishes) else {
    preconditionFailure("a choice that cannot be made again")
  }
  precondition(again.picture == choice.picture || again.name == choice.name, "another choice")
}

private func readTransport(_ bytes: [UInt8]) {
  for isWhole in [true, false] {
    let read = try? SegmentedSamples.demuxed(bytes[...], .both, near: 0, isWhole: isWhole)
    guard let segment = read else { continue }
    check(segment, bytes.count)
  }
  let whole = samples(of: bytes, cut: max(1, bytes.count))
  let cut = samples(of: bytes, cut: 1 + bytes.count % 400)
  precondition(cut == whole, "other samples if it is cut")
}

/// The samples of a segment that comes in pieces; nil for a fault.
private func samples(of bytes: [UInt8], cut: Int) -> [MediaSample]? {
  var reader = SegmentReader(SegmentReader.Known(contents: .both))
  var samples: [MediaSample] = []
  for start in stride(from: 0, to: bytes.count, by: cut) {
    guard let more = try? reader.take(bytes[start..<min(bytes.count, start + cut)]) else {
      return nil
    }
    samples += more
  }
  guard (try? reader.endSegment(before: nil)) != nil else { return nil }
  return (try? reader.finish()).map { samples + $0 }
}

private func readPacked(_ bytes: [UInt8]) {
  _ = try? SegmentedSamples.isEnough(bytes, .both)
  if let needs = try? SegmentedMovie.needs(bytes, of: bytes.count + 1 << 20) {
    precondition(needs > 0, "nothing is needed")
  }
  _ = StreamContainer(beginning: bytes)
  precondition(SegmentDisguise.without(bytes).count <= bytes.count)
  if let segment = try? PackedAudio.read(bytes[...]) { check(segment, bytes.count) }
}

private func check(_ segment: DemuxedSegment, _ count: Int) {
  var size = 0
  for sample in segment.samples {
    precondition(segment.tracks.indices.contains(sample.track), "no track")
    precondition(sample.duration >= 0, "a duration below zero")
    size += sample.bytes.count
  }
  // Start codes of three bytes become lengths of four.
  precondition(size <= 2 * count, "samples out of nothing")
}

private func readTexts(_ bytes: [UInt8]) {
  var merge = CueMerge(zero: bytes.count % 2 == 0 ? 900_000 : nil)
  for segment in bytes.split(separator: 0xFF) { try? merge.add(Array(segment), at: .seconds(6)) }
  var again = CueMerge()
  let document = merge.document
  if document.utf8.count <= PlaylistLimits.textSegment {
    precondition((try? again.add(Array(document.utf8))) != nil, "a file that cannot be read")
  }
}

private func readParameters(_ bytes: [UInt8]) {
  _ = try? SequenceParameters(h264: bytes[...])
  _ = try? SequenceParameters(hevc: bytes[...])
  _ = PictureCodec.isRecoveryPoint(bytes[...])
  _ = AnnexB.units(in: bytes[...])
}

/// Makes a manifest of lines: "depth name attribute=value …".
private func readManifest(_ bytes: [UInt8]) {
  var open = [XMLElement("mpd")]
  func close() {
    let last = open.removeLast()
    open[open.count - 1].children.append(last)
  }
  for line in bytes.split(separator: 0x0A).prefix(200) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count >= 2, let depth = Int(words[0]), (1...8).contains(depth) else { continue }
    while open.count > depth { close() }
    var element = XMLElement(words[1] == "-" ? "" : String(words[1]))
    for word in words.dropFirst(2) {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 {
        element.attributes[String(parts[0])] = String(parts[1])
      } else {
        element.text = String(word)
      }
    }
    open.append(element)
  }
  while open.count > 1 { close() }
  var text = open[0]
  text.name = "tt"
  if let text = try? TimedText(text) {
    precondition(text.cues.allSatisfy { $0.start < $0.end && !$0.words.isEmpty }, "no cue")
  }
  open[0].attributes["mediapresentationduration"] = "PT60S"
  guard let manifest = try? Manifest(root: open[0], at: address),
    let source = try? manifest.source(StreamWishes())
  else { return }
  for track in source.tracks { check(track) }
}
