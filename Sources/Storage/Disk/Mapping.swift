import Glibc
import SystemPackage

/// A file's bytes as memory. Only the kernel reads this memory, never Swift code.
///
/// If the disk fails, a read by the kernel (in a system call) ends with EFAULT. A read by Swift
/// code would end with SIGBUS. feedfs never cuts off mapped bytes of the file. Address and length
/// never change, and the memory is unmapped only when the last reference is released. So the
/// pointer is safe on every thread.
final class Mapping: @unchecked Sendable {
  private let start: UnsafeMutableRawPointer
  private let length: Int
  /// The owner of the memory; nil if this object has mapped it.
  private let owner: AnyObject?

  /// Maps the first `length` bytes of `file`. `length` must be at least one.
  init(_ file: File, length: Int) throws(Errno) {
    guard let start = mmap(nil, length, PROT_READ, MAP_SHARED, file.descriptor, 0),
      start != MAP_FAILED
    else { throw Errno(rawValue: errno) }
    self.start = start
    self.length = length
    owner = nil
  }

  /// Wraps memory that lives as long as `owner`.
  init(_ start: UnsafeMutableRawPointer, length: Int, of owner: AnyObject) {
    self.start = start
    self.length = length
    self.owner = owner
  }

  deinit {
    if owner == nil { munmap(start, length) }
  }

  /// Lends `range` of the memory to `body` without reading it. `body` must not keep the span.
  func lend(_ range: Range<Int>, to body: (RawSpan) -> Bool) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= length)
    return body(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count).bytes)
  }

  /// True if the memory is a mapped file on a real disk.
  var isOfDisk: Bool { owner == nil }

  /// True if every page of `range` is in the kernel's memory, so that a read does not wait for the
  /// disk (mincore(2)). Also true if the kernel does not say. `range` must not be empty. The answer
  /// can change at any time.
  func isInMemory(_ range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= length)
    let first = range.lowerBound / Self.page
    let count = (range.upperBound + Self.page - 1) / Self.page - first
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { pages in
      guard mincore(start + first * Self.page, count * Self.page, pages.baseAddress) == 0 else {
        return true
      }
      return pages.allSatisfy { $0 & 1 == 1 }
    }
  }

  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Gives the pages back to the kernel, so that they do not count as memory of this process.
  ///
  /// The page cache keeps the bytes. A read at the same time only causes one more page fault.
  func release() {
    if owner == nil { madvise(start, length, MADV_DONTNEED) }
  }
}
