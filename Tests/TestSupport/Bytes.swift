import Glibc

// Most tests are not optimised. There the library compares bytes one by one, each by way of a table, and a whole
// run spent a quarter of its time on that. The compiler takes these functions in its place.

/// Returns whether two rows of bytes are equal.
package func == (one: [UInt8], other: [UInt8]) -> Bool {
  one.count == other.count && one.starts(with: other)
}

extension Array<UInt8> {
  /// Returns whether these bytes begin with all of `others`.
  package func starts(with others: [UInt8]) -> Bool {
    guard others.count <= count else { return false }
    return withUnsafeBytes { mine in
      others.withUnsafeBytes { theirs in
        guard let first = mine.baseAddress, let second = theirs.baseAddress else { return true }
        return memcmp(first, second, theirs.count) == 0
      }
    }
  }
}
