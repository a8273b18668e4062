import ArgumentParser
package import FeedReading
import Settings

/// Options that choose which entries of a feed become files, and which of an entry's media is used.
package struct FeedOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Also take entries that have sound but no picture.")
  var audio: Bool?

  @Option(
    help: ArgumentHelp(
      "The most lines that a picture may have (720), where there is a choice.",
      valueName: "lines"))
  var maxHeight: Int?

  @Option(
    help: ArgumentHelp(
      "The containers or codecs to choose among forms of the same height, the best first: mp4, webm, av1 …",
      valueName: "word,…"))
  var prefer: FormatOrder?

  @Option(help: "Make a file of an HLS or DASH stream where there is no better file: on or off.")
  var streams: StreamSwitch?

  @Option(
    help: ArgumentHelp(
      "The languages of sound and subtitles in streams, the best first: en, pt-BR …",
      valueName: "tag,…"))
  var languages: LanguageOrder?

  package init() {}

  package func validate() throws {
    guard maxHeight ?? 1 > 0 else { throw ValidationError("--max-height takes a number above 0.") }
  }

  package var choice: MediaChoice {
    var choice = MediaChoice()
    choice.audio = audio ?? false
    choice.maxHeight = maxHeight
    choice.prefer = prefer?.words
    choice.streams = streams != .off
    choice.languages = languages?.tags ?? []
    return choice
  }
}

/// The value of `--streams`: whether streams become files.
package enum StreamSwitch: String, CaseIterable, ExpressibleByArgument {
  case on, off
}

/// The value of `--languages`: languages, the best first, such as "en,pt-BR".
package struct LanguageOrder: ExpressibleByArgument {
  let tags: [String]

  package init?(argument: String) {
    let words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let tags = FeedSettings.languages(words) else { return nil }
    self.tags = tags
  }
}

/// The value of `--prefer`: containers and codecs, the best first, such as "av1,mp4".
package struct FormatOrder: ExpressibleByArgument {
  let words: [String]

  package init?(argument: String) {
    words = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init)
    guard !words.isEmpty, words.allSatisfy(MediaFormat.names.contains) else { return nil }
  }
}

/// Options for commands that send requests to origins.
package struct NetworkArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Private addresses that feeds may name, such as 10.0.0.0/8. The host you typed is reached anyway.",
      valueName: "cidr"))
  var allowPrivate: [String] = []

  @Option(
    help: ArgumentHelp(
      "Ask through this proxy, or through none; by default through that of http_proxy, https_proxy or all_proxy.",
      valueName: "url|none"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "Trust the CAs in this file (PEM) instead of the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  package init() {}
}
