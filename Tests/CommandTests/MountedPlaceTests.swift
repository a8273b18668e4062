import SystemPackage
import Testing

@testable import CommandTools

struct MountedPlaceTests {
  private let mounts: [FilePath] = ["/home/u/feed", "/home/u/feed/inner", "/mnt"]

  @Test(
    arguments: [
      ("/home/u/feed", "/home/u/feed", nil),
      ("/home/u/feed/0001.mp4", "/home/u/feed", "0001.mp4"),
      ("/home/u/feed/talks/0001.mp4", "/home/u/feed", "talks/0001.mp4"),
      ("/home/u/feed/inner/0002.mp4", "/home/u/feed/inner", "0002.mp4"),
      ("/mnt/0003.mp4", "/mnt", "0003.mp4"),
    ] as [(String, String, String?)])
  func aPathBelongsToTheInnermostMountAboveIt(path: String, mount: String, file: String?) throws {
    let place = try #require(MountedPlace.place(FilePath(path), in: mounts))

    #expect(place.mountPoint.string == mount && place.file == file)
    #expect(place.path.string == path)
  }

  @Test(arguments: ["/home/u", "/home/u/feeds/0001.mp4", "/"])
  func aPathElsewhereIsInNoMount(path: String) {
    #expect(MountedPlace.place(FilePath(path), in: mounts) == nil)
  }

  private func offers(_ typed: String, _ mounts: [FilePath]) -> [String] {
    EntryCompletion.places(typed, mounts: mounts) { mount in
      mount == "/mnt"
        ? [("0001.mp4", "A talk"), ("0002.webm", "A film")] : [("talks/0001.mp4", "Hello")]
    }
  }

  @Test func shellsOfferMountsAndFilesOfTheOnlyOne() {
    #expect(offers("", ["/mnt"]) == ["/mnt", "0001.mp4", "0002.webm"])
    #expect(offers("0002", ["/mnt"]) == ["0002.webm"])
    #expect(offers("", ["/mnt", "/media"]) == ["/mnt", "/media"])
    #expect(offers("/m", ["/mnt", "/media"]) == ["/mnt", "/media"])
    #expect(offers("/mnt/", ["/mnt", "/media"]) == ["/mnt/0001.mp4", "/mnt/0002.webm"])
    #expect(offers("/mnt/0002", ["/mnt"]) == ["/mnt/0002.webm"])
    #expect(offers("/media/t", ["/mnt", "/media"]) == ["/media/talks/0001.mp4"])
    #expect(offers("", []) == [])
    // Titles, if nothing else begins so.
    #expect(offers("A", ["/mnt"]) == ["A talk", "A film"])
    #expect(offers("A t", ["/mnt"]) == ["A talk"])
    #expect(offers("Hell", ["/mnt"]) == [] && offers("A", ["/mnt", "/media"]) == [])
  }
}
