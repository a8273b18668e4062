import Host
import Testing

@testable import CommandTools

/// `feedfs mount` takes its feed and its directory in any order.
struct MountPlacesTests {
  private func places(_ words: [String]) throws(CommandError) -> MountPlaces {
    try MountPlaces(words) { ["/m", "/n"].contains($0) }
  }

  @Test(
    arguments: [
      (["/m"], "/m", []), (["/new"], "/new", []),
      (["http://a.org/f", "/m"], "/m", ["http://a.org/f"]),
      (["/m", "http://a.org/f"], "/m", ["http://a.org/f"]),
      (["http://a.org/f", "/new"], "/new", ["http://a.org/f"]),
      (["http://a.org/f", "/m", "feed://b.org"], "/m", ["http://a.org/f", "feed://b.org"]),
      (["a.org/f", "/m"], "/m", ["a.org/f"]), (["/m", "a.org/f"], "/m", ["a.org/f"]),
      (["list.m3u", "/new"], "/new", ["list.m3u"]),
    ] as [([String], String, [String])])
  func theDirectoryIsFound(words: [String], directory: String, feeds: [String]) throws {
    let found = try places(words)
    #expect(found.directory == directory && found.feeds == feeds)
  }

  @Test(
    arguments: [
      ([], "no directory is given"), (["http://a.org/f"], "no directory is given"),
      (["/m", "/n"], "/m is a directory, and not a feed"),
      (["http://a.org/f", "/m", "/n"], "/m and /n could each be the directory"),
      (["a", "b", "c"], "a and b and c could each be the directory"),
      (["http://a.org/f", ""], "the name of the directory is empty"),
    ] as [([String], String)])
  func whatIsNotClearIsRefused(words: [String], says: String) throws {
    let error = try #require(throws: CommandError.self) { try places(words) }
    #expect(error.code == .usage && error.description.contains(says), "\(error)")
  }
}
