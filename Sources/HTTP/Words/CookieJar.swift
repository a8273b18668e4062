import Addresses
import Glibc
import Synchronization

/// The cookies that requests share: those of one stream, or of one reading of a feed.
///
/// Cookies are in memory alone, and end with the jar. A request without a jar has one of its own,
/// for its chain of redirects. Safe from any thread.
package final class CookieJar: Hashable, Sendable {
  private let cookies = Mutex(Cookies())

  package init() {}

  /// Forgets all cookies.
  package func empty() {
    cookies.withLock { $0 = Cookies() }
  }

  /// Takes the cookies of `other` too.
  package func add(_ other: CookieJar) {
    let others = other.cookies.withLock { $0 }
    cookies.withLock { $0.add(others) }
  }

  var isEmpty: Bool { cookies.withLock { $0.isEmpty } }

  /// Returns the cookies that may go to `url`, except those with these names.
  func cookies(for url: WebAddress, besides names: Set<String>) -> [Cookie] {
    cookies.withLock {
      $0.forHost(url.host, url.origin.scheme, besides: names, now: time(nil))
    }
  }

  /// Takes the cookies that libcurl has after an answer of `url`, instead of those that it was given.
  func take(_ found: [Cookie], given: [Cookie], from url: WebAddress, mayNameDomains: Bool) {
    guard !found.isEmpty || !given.isEmpty else { return }
    cookies.withLock {
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
