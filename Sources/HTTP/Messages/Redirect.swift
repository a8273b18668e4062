import Addresses

/// The target of a redirect if the client is allowed to follow it, or else the reason why not (RFC
/// 9110 §15.4).
enum Redirect: Hashable {
  case follow(WebAddress, isPermanent: Bool)
  case refuse(TransferEnd)

  static let statuses: Set<Int> = [301, 302, 303, 307, 308]
  private static let maxHops = 20

  /// Reads the redirect in `head`; nil if `head` is no redirect.
  ///
  /// - Parameter hops: the number of redirects before this one.
  init?(_ head: ResponseHead, from url: WebAddress, hops: Int) {
    guard Self.statuses.contains(head.status) else { return nil }
    guard let location = head.single("location"), !location.isEmpty else {
      self = .refuse(.refused(.badRedirect))
      return
    }
    guard hops < Self.maxHops else {
      self = .refuse(.blocked(reason: "it leads through more than \(Self.maxHops) redirects"))
      return
    }
    do {
      let next = try url.resolving(location)
      if url.origin.scheme == "https", next.origin.scheme == "http" {
        self = .refuse(.blocked(reason: "it redirects from https to http, which is not safe"))
      } else {
        self = .follow(next, isPermanent: head.status == 301 || head.status == 308)
      }
    } catch {
      self = .refuse(.blocked(reason: "it redirects to an address that is neither http nor https"))
    }
  }
}
