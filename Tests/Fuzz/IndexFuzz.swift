// Built with modules that a sanitizer watches: see fuzz.sh.

import Blocks

@testable import Storage

/// Checks for any index file that it is read quickly and without a trap, that its contents fit the
/// file, and that a rewrite says the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var file = Array(UnsafeBufferPointer(start: start, count: count))
  look(at: file)
  lookAtOthers(file)
  if file.count >= 16, file.starts(with: Array("feedfsDB".utf8)) {
    var doubt = file
    doubt.replaceSubrange(8..<12, with: CRC32C(of: Array(file[12...]).span.bytes).value.encoded)
    lookAtOthers(doubt)
  }
  // A garbled header rarely has the right checksum: correct it, to reach the code behind it.
  guard let size = IndexHeader.byteCount(in: file), file.count >= size else { return 0 }
  file.replaceSubrange(16..<20, with: UInt32(0).encoded)
  file.replaceSubrange(16..<20, with: CRC32C(of: Array(file[..<size]).span.bytes).value.encoded)
  look(at: file)
  return 0
}

/// Reads the files beside an index: what is suspect, and the sum of a document.
private func lookAtOthers(_ file: [UInt8]) {
  if let ranges = SuspectRanges.decoded(file) {
    precondition(ranges.count <= file.count / 16, "ranges from nowhere")
    precondition(ranges.allSatisfy { $0.lowerBound >= 0 && !$0.isEmpty }, "no range")
    precondition(SuspectRanges.decoded(SuspectRanges.encoded(ranges)) == ranges, "other ranges")
  }
  if let sum = DocumentSum(file) { precondition(sum.encoded == file, "another sum") }
  // A clean mark is one at any place of a damaged header.
  if let mark = CleanMark(in: file) {
    let stored = Array(file[..<20]) + CleanMark.encoded(mark)
    precondition(CleanMark(in: stored) == mark, "another mark")
  }
}

private func look(at file: [UInt8]) {
  let page = Array(file.prefix(IndexHeader.page))
  guard let size = IndexHeader.byteCount(in: page) else { return }
  precondition(size > 0 && size <= 64 << 10, "a header of \(size) bytes")
  guard let header = IndexHeader(Array(file.prefix(size))) else { return }
  precondition(header.byteCount <= size || !header.fits || file.count >= size)
  precondition(header.belongs(to: header))
  lookBehind(header, in: file)
  guard header.fits else { return }
  guard let again = IndexHeader(header.encoded) else { preconditionFailure("it cannot be read") }
  precondition(again == header, "what was written is another header")
}

/// Checks the bitmap and the checksums.
private func lookBehind(_ header: IndexHeader, in file: [UInt8]) {
  let places = IndexPlaces(header)
  let bitmap = places.bitmap(inFileOf: file.count)
  precondition(bitmap.count <= max(0, file.count), "more is read than there is")
  let stored = bitmap.isEmpty ? [] : Array(file[bitmap.clamped(to: 0..<file.count)])
  let cachedBlocks = places.cachedBlocks(stored, inFileOf: file.count)
  for run in cachedBlocks.runs(in: header.layout.all) {
    for block in run {
      precondition(places.checksum(of: block) + 4 <= file.count, "a bit without a checksum")
      precondition(
        stored[block.value >> 3] & (1 << UInt8(block.value & 7)) != 0, "a bit from nowhere")
    }
  }
  precondition(cachedBlocks.words.count <= stored.count / 8 + 1)
  let beyond =
    header.layout.all
    .upperBound..<BlockIndex(max(cachedBlocks.words.count * 64, header.layout.count))
  precondition(cachedBlocks.firstMember(in: beyond) == nil, "a block beyond the end")
  // A rewrite, word by word, says the same.
  var words: [UInt8] = []
  for index in 0..<stored.count / 8 { words += cachedBlocks.word(at: index).encoded }
  precondition(
    places.cachedBlocks(words, inFileOf: file.count) == cachedBlocks,
    "what was written says something else")
  if header.layout.count < 1 << 16 {
    precondition(
      places.cleanMark(of: cachedBlocks, epoch: 1) == places.cleanMark(of: cachedBlocks, epoch: 1))
  }
}
