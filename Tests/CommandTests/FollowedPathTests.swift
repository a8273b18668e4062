import SystemPackage
import Testing

@testable import CommandTools

/// The path of a mount is the same, whichever links lead to it.
struct FollowedPathTests {
  private static let links: [FilePath: FilePath] = [
    "/home": "/var/home", "/var/home/me/feeds": "media/feeds", "/up": "var/../mnt/x", "/a": "/b",
    "/b": "/a", "/mnt/feed/by-title/Film.mp4": "../0001.mp4",
  ]

  @Test(
    arguments: [
      ("/mnt/new", "/mnt/new"), ("/", "/"), ("/home/me", "/var/home/me"),
      ("/home/me/feeds/0001.mp4", "/var/home/me/media/feeds/0001.mp4"), ("/up/y", "/mnt/x/y"),
      ("/mnt/feed/by-title/Film.mp4", "/mnt/feed/by-title/Film.mp4"),
    ] as [(FilePath, FilePath)])
  func linksAreFollowedUpToAMount(typed: FilePath, path: FilePath) {
    var asked: [FilePath] = []
    let followed = FollowedPath(typed, mounts: ["/mnt/feed"]) { place in
      asked.append(place)
      return Self.links[place]
    }
    #expect(followed.path == path)
    #expect(!asked.contains { $0.starts(with: "/mnt/feed") }, "\(asked)")
  }

  @Test func linksThatLeadToEachOtherAreLeftAlone() {
    let followed = FollowedPath("/a/x", mounts: []) { Self.links[$0] }
    #expect(["/a/x", "/b/x"].contains(followed.path))
  }
}
