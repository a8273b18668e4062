import Addresses
import Glibc
import Synchronization

/// The cookies that several requests share, such as those for one stream or for one refresh of a
/// feed.
///
/// Cookies exist only in memory, and end with the jar. A request that shares no jar gets a jar of
/// its own, for its chain of redirects. Safe from any thread.
package final class CookieJar: Hashable, Sendable {
  private let cookies = Mutex(Cookies())

  package init() {}

  /// Forgets all cookies.
  package func empty() {
    cookies.withLock { $0 = Cookies() }
  }

  /// Adds the cookies of `other`.
  package func add(_ other: CookieJar) {
    let others = other.cookies.withLock { $0 }
    cookies.withLock { $0.add(others) }
  }

  var isEmpty: Bool { cookies.withLock { $0.isEmpty } }

  /// Returns the cookies that belong to `url`, except those that have one of `names`.
  func cookies(for url: WebAddress, besides names: Set<String>) -> [Cookie] {
    cookies.withLock {
      $0.forHost(url.host, url.origin.scheme, besides: names, now: time(nil))
    }
  }

  /// Takes over what an answer of `url` has changed: libcurl was given the cookies `given`, and has
  /// `found` after the answer.
  func take(_ found: [Cookie], given: [Cookie], from url: WebAddress, mayNameDomains: Bool) {
    guard !found.isEmpty || !given.isEmpty else { return }
    cookies.withLock {
      $0.take(
        found, given: given, from: url.host, url.origin.scheme, mayNameDomains: mayNameDomains,
        now: time(nil))
    }
  }

  /// Whether both are the same jar.
  package static func == (left: CookieJar, right: CookieJar) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
