import FeedReading
import Markup

extension SettingsReader {
  /// Reads the rules of a feed.
  mutating func rules() throws(SettingsError) -> EntryRules {
    var rules = EntryRules()
    rules.newest = try count("newest", orAll: true)
    rules.since = try written("since")
    rules.skip = try patterns("skip")
    rules.only = try patterns("only")
    rules.minDuration = try written("min-duration")
    rules.maxDuration = try written("max-duration")
    rules.live = try flag("live")
    return rules
  }

  /// Reads one pattern, or a list of patterns.
  private mutating func patterns(_ key: String) throws(SettingsError) -> [EntryPattern]? {
    guard let words = try textOrTexts(key) else { return nil }
    let texts =
      switch words {
      case .one(let text): [text]
      case .several(let texts): texts
      }
    guard texts.count <= EntryRules.maxPatterns else {
      throw error(key, "may have \(EntryRules.maxPatterns) patterns at most")
    }
    var patterns: [EntryPattern] = []
    for text in texts {
      do throws(RuleError) {
        patterns.append(try EntryPattern(text))
      } catch {
        throw self.error(key, "\"\(PrintableText.line(text))\" \(error)")
      }
    }
    return patterns
  }
}

extension SettingsText {
  /// Returns the line of `config.toml` that says which entries of a feed are fetched automatically.
  static func line(for keep: KeepRule) -> String {
    let text = keep.text
    return "keep = \(Int(text) == nil ? quoted(text) : text)"
  }

  /// Returns the lines of `config.toml` for the rules of a feed.
  static func lines(for rules: EntryRules) -> [String] {
    var lines: [String] = []
    func add(_ key: String, _ value: String?) {
      if let value { lines.append("\(key) = \(value)") }
    }
    func list(_ patterns: [EntryPattern]) -> String {
      "[\(patterns.map { quoted($0.text) }.joined(separator: ", "))]"
    }
    add("newest", rules.newest.map { $0 == .max ? quoted("all") : "\($0)" })
    add("since", (rules.since?.text).map(quoted))
    add("skip", rules.skip.map(list))
    add("only", rules.only.map(list))
    add("min-duration", (rules.minDuration?.text).map(quoted))
    add("max-duration", (rules.maxDuration?.text).map(quoted))
    add("live", rules.live.map { "\($0)" })
    return lines
  }
}
