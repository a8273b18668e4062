import Glibc
import TestSupport
import Testing

extension Promises {
  /// Show notes, and the picture of a feed.
  @Suite(.serialized, .timeLimit(.minutes(3)))
  struct NotesTests {
    @Test(arguments: DriveKind.all)
    func notesAndTheFeedsPictureAreFilesWhereTheyAreWanted(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try feed.origin.put("not really a picture", at: "/cover.jpg", type: "image/jpeg")
      var item = WrittenFeed.Item(1)
      item.more =
        "<description>&lt;p&gt;Guests: Ada&lt;/p&gt;&lt;p&gt;Music: Bach&lt;/p&gt;</description>"
      var written = WrittenFeed(pages: [[item, WrittenFeed.Item(2)]])
      written.title =
        "Written</title><image><url>\(feed.origin.url("/cover.jpg"))</url></image><title>"
      try written.serve(by: feed)

      try feed.mount("/written", options: ["--sidecars", "notes,covers,nfo"])
      let names = try feed.names()
      #expect(names.contains("0001.txt") && !names.contains("0002.txt"))
      #expect(names.contains("folder.jpg") && names.contains("poster.jpg"))
      let notes = feed.mountPoint + "/0001.txt"
      #expect(try feed.text(of: notes) == "Guests: Ada\n\nMusic: Bach\n")
      #expect(try feed.look(at: notes).size == 25)
      #expect(
        try feed.text(of: feed.mountPoint + "/0001.nfo").contains(
          "<plot>Guests: Ada\n\nMusic: Bach</plot>"))
      #expect(try feed.text(of: feed.mountPoint + "/.feedfs/feed.json").contains("Guests: Ada"))
      #expect(try feed.names(in: "by-title").contains { $0.hasSuffix(" Item 1.txt") })

      let picture = feed.mountPoint + "/folder.jpg"
      #expect(try feed.text(of: picture) == "not really a picture")
      #expect(try feed.look(at: picture).size == 20)
      let inode = try feed.look(at: picture).inode
      try feed.unmount()

      // Both are there without a network, and the picture is the same file.
      feed.origin.stop()
      try feed.mount("/written", options: ["--sidecars", "notes,covers"])
      #expect(try feed.text(of: feed.mountPoint + "/poster.jpg") == "not really a picture")
      #expect(try feed.look(at: picture).inode == inode)
      #expect(try feed.text(of: notes) == "Guests: Ada\n\nMusic: Bach\n")
      try feed.unmount()
      try feed.mount("/written", options: [])
      #expect(try feed.names().allSatisfy { !$0.hasSuffix(".txt") && !$0.hasSuffix(".jpg") })
    }
  }
}
