import Addresses
import Glibc
import NIOConcurrencyHelpers

/// The cookies that requests share: those of one stream, or of one reading of a feed.
///
/// Cookies are in memory alone, and end with the jar. A request without a jar has one of its own,
/// for its chain of redirects. Safe from any thread.
package final class CookieJar: Hashable, Sendable {
  private let cookies = NIOLockedValueBox(Cookies())

  package init() {}

  /// Forgets all cookies.
  package func empty() {
    cookies.withLockedValue { $0 = Cookies() }
  }

  /// Takes the cookies of `other` too.
  package func add(_ other: CookieJar) {
    let others = other.cookies.withLockedValue { $0 }
    cookies.withLockedValue { $0.add(others) }
  }

  var isEmpty: Bool { cookies.withLockedValue(\.isEmpty) }

  /// Returns the cookies that may go to `url`, but for those with these names.
  func cookies(for url: WebAddress, besides names: Set<String>) -> [Cookie] {
    cookies.withLockedValue {
      $0.forHost(url.host, url.origin.scheme, besides: names, now: time(nil))
    }
  }

  /// Takes the cookies that libcurl has after an answer of `url`, instead of those that it was given.
  func take(_ found: [Cookie], given: [Cookie], from url: WebAddress, mayNameDomains: Bool) {
    guard !found.isEmpty || !given.isEmpty else { return }
    cookies.withLockedValue {
      $0.take(
        found, given: given, from: url.host, url.origin.scheme, mayNameDomains: mayNameDomains,
        now: time(nil))
    }
  }

  /// Each jar is equal to itself alone.
  package static func == (left: CookieJar, right: CookieJar) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
