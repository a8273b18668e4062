import Glibc

/// A file of a simulated disk: its page cache, and the content that a power cut would leave.
///
/// One thread alone runs a simulation.
final class SimulatedNode: @unchecked Sendable {
  static let page = 4096
  private static let sector = 512

  private var memory: UnsafeMutableRawPointer
  /// The content on the disk.
  private var durable: UnsafeMutableRawPointer
  private var capacity = 4096
  /// True when mapped: the memory must not move then.
  private var isMapped = false
  private(set) var size = 0
  var modified = 0
  /// The time of the last change of bytes or attributes.
  var changed = 0
  private var durableSize = 0
  /// Pages whose content on the disk may differ.
  private var dirty: Set<Int> = []

  init() {
    guard let memory = calloc(1, capacity), let durable = calloc(1, capacity) else {
      preconditionFailure("no memory is left")
    }
    self.memory = memory
    self.durable = durable
  }

  deinit {
    free(memory)
    free(durable)
  }

  /// Returns the memory of the first `length` bytes; valid as long as this node lives.
  func mapped(_ length: Int) -> UnsafeMutableRawPointer {
    reserve(length)
    isMapped = true
    return memory
  }

  private func reserve(_ count: Int) {
    guard count > capacity else { return }
    precondition(!isMapped, "a file grows though it is mapped")
    let wanted = (count + Self.page - 1) / Self.page * Self.page
    guard let larger = calloc(1, wanted), let largerDurable = calloc(1, wanted) else {
      preconditionFailure("no memory is left")
    }
    memcpy(larger, memory, capacity)
    memcpy(largerDurable, durable, capacity)
    free(memory)
    free(durable)
    (memory, durable, capacity) = (larger, largerDurable, wanted)
  }

  func read(_ count: Int, at offset: Int) -> [UInt8] {
    let count = max(0, min(count, size - offset))
    return Array(UnsafeRawBufferPointer(start: memory + offset, count: count))
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(offset + bytes.count)
    memcpy(memory + offset, start, bytes.count)
    size = max(size, offset + bytes.count)
    for page in offset / Self.page...(offset + bytes.count - 1) / Self.page { dirty.insert(page) }
  }

  func resize(to length: Int) {
    reserve(length)
    if length < size { memset(memory + length, 0, size - length) }
    size = length
  }

  // MARK: The disk below the page cache

  /// Writes the dirty pages to the disk, or only `page`.
  func writeBack(only page: Int? = nil) {
    let pages = page.map { dirty.contains($0) ? [$0] : [] } ?? Array(dirty)
    if page == nil { fit(to: size) }
    for page in pages { copyOut(page * Self.page..<(page + 1) * Self.page) }
    if page == nil { dirty = [] } else { dirty.subtract(pages) }
  }

  /// The disk refused the dirty pages: the kernel marks them clean.
  func forgetDirty() {
    dirty = []
  }

  /// The page cache loses the pages that are clean. They come back from the disk.
  func forgetClean() {
    for page in 0..<capacity / Self.page where !dirty.contains(page) {
      memcpy(memory + page * Self.page, durable + page * Self.page, Self.page)
    }
  }

  var dirtyPages: [Int] { dirty.sorted() }

  /// Cuts the power: each sector that was not flushed has its old or its new content.
  func cut(_ survives: () -> Bool) {
    if survives() { fit(to: max(size, durableSize)) }
    for page in dirtyPages {
      for start in stride(from: page * Self.page, to: (page + 1) * Self.page, by: Self.sector)
      where survives() {
        copyOut(start..<start + Self.sector)
      }
    }
    dirty = []
    memcpy(memory, durable, capacity)
    size = durableSize
  }

  private func fit(to length: Int) {
    if length < durableSize { memset(durable + length, 0, durableSize - length) }
    durableSize = length
  }

  private func copyOut(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<size)
    guard !range.isEmpty else { return }
    fit(to: max(durableSize, range.upperBound))
    memcpy(durable + range.lowerBound, memory + range.lowerBound, range.count)
  }
}
