import Foundation
import TestSupport
import Testing

@testable import Streams

/// Makes films out of strands, and compares them with what they were made of.
extension Films {
  /// Writes `name.mkv`, the film that is made of strands and their resources.
  @discardableResult
  func make(
    _ name: String, _ strands: [StrandIndex], _ resources: [[UInt8]],
    chapters: [StreamChapter] = []
  ) throws -> StreamLayout {
    let layout = try Assembly.layout(strands, chapters: chapters)
    let file = try Assembly.file(layout, resources).bytes
    #expect(file.count == layout.length)
    try Data(file).write(to: URL(fileURLWithPath: path("\(name).mkv")))
    let duration = try duration(of: "\(name).mkv")
    #expect(abs(duration - Double(Self.seconds)) < 0.12, "\(duration)")
    if Self.isInstalled("mkvmerge") { try expectSound(name) }
    return layout
  }

  /// Expects all pictures of the source, at its times.
  func expectEqualPictures(_ name: String, _ source: String) throws {
    let made = try frames("v", of: "\(name).mkv")
    let given = try frames("v", of: source)
    #expect(made.count > 150)
    #expect(made.map(\.hash) == given.map(\.hash))
    let shift = made[0].seconds - given[0].seconds
    for (one, other) in zip(made, given) {
      #expect(abs(one.seconds - other.seconds - shift) < 0.0011, "\(one.seconds)")
    }
  }

  /// Expects all sounds of the source, but for those that its edit list cuts at the ends.
  func expectEqualSounds(_ name: String, _ source: String) throws {
    let made = try frames("a", of: "\(name).mkv")
    let given = try frames("a", of: source)
    let middle = given.count / 2
    let place = try #require(made.firstIndex { $0.hash == given[middle].hash })
    let first = place - middle
    #expect(abs(first) <= 2 && abs(made.count - given.count) <= 3, "\(made.count) \(given.count)")
    for number in 3..<given.count - 3 {
      #expect(made[number + first].hash == given[number].hash, "sound \(number)")
    }
  }

  /// Expects that pictures and sounds are as far apart as in the files of which the film was made.
  func expectSameDistance(_ name: String, _ video: String, _ audio: String) throws {
    func shift(_ kind: String, _ source: String) throws -> Double {
      let given = try frames(kind, of: source)
      let frame = given[given.count / 2]
      let made = try frames(kind, of: "\(name).mkv").first { $0.hash == frame.hash }
      return try #require(made).seconds - frame.seconds
    }
    let apart = try shift("v", video) - shift("a", audio)
    #expect(abs(apart) <= 0.001, "apart by \(apart) s")
  }

  /// Expects that programs which read every element have no complaint.
  func expectSound(_ name: String) throws {
    let file = path("\(name).mkv")
    let merge = try ChildProcess.run(["mkvmerge", "-J", file])
    #expect(merge.status == 0)
    #expect(merge.out.contains("\"errors\": []") && merge.out.contains("\"warnings\": []"))
    let copy = try ChildProcess.run(["mkvmerge", "-o", path("\(name)-copy.mkv"), file])
    #expect(copy.status == 0, "\(copy.out)")
    if Self.isInstalled("mediainfo") {
      let info = try ChildProcess.run(["mediainfo", "--Full", file])
      #expect(info.status == 0 && info.out.contains("Matroska"))
      #expect(!info.out.contains("IsTruncated") && !info.out.contains("Conformance"))
    }
  }
}
