import ArgumentParser
import FeedMount
import Feeds

/// Which entries of a feed become files, and what lies beside them.
struct FeedOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Take entries that only have sound too.")
  var audio: Bool?

  @Option(
    help: ArgumentHelp(
      "Play nothing with more lines of picture than this, where there is a choice.",
      valueName: "lines"))
  var maxHeight: Int?

  func validate() throws {
    guard maxHeight ?? 1 > 0 else { throw ValidationError("--max-height takes a number above 0.") }
  }

  var choice: MediaChoice {
    var choice = MediaChoice()
    choice.audio = audio ?? false
    choice.maxHeight = maxHeight
    return choice
  }
}

/// How many pages of a feed are read without anybody's opening the last entries.
struct PageCount: ExpressibleByArgument {
  let number: Int

  /// "all", or a number from 1.
  init?(argument: String) {
    guard argument != "all" else {
      number = .max
      return
    }
    guard let number = Int(argument), number > 0 else { return nil }
    self.number = number
  }
}

/// Kinds of sidecars, "subtitles,covers,nfo" or "none".
struct SidecarKinds: ExpressibleByArgument {
  let kinds: Set<Sidecar.Kind>

  init?(argument: String) {
    guard argument != "none" else {
      kinds = []
      return
    }
    let words = argument.split(separator: ",").map(String.init)
    let known = words.compactMap(Sidecar.Kind.init)
    guard !known.isEmpty, known.count == words.count else { return nil }
    kinds = Set(known)
  }
}
