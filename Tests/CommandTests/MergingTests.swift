import Host
import ArgumentParser
import Blocks
import Control
import FeedReading
import Foundation
import Quantities
import Settings
import SystemPackage
import Testing

@testable import CommandTools
@testable import FeedMount
@testable import HTTP

/// The command line wins over the configuration file, and the file over the default.
final class MergingTests {
  /// Everything that a key can set.
  struct Merged {
    let mount: MountSettings
    let feed: FeedChoice
    /// The directory of the cache; nil: this user has no home.
    let cache: String?
  }

  struct Key: CustomTestStringConvertible, Sendable {
    var testDescription: String { name }
    let name: String
    /// Reads the value that the key sets, as a text.
    let read: @Sendable (Merged) -> String
    let standard: String
    /// The right side of the key in the file, and the value.
    let file: (text: String, value: String)
    /// The words on a command line over that file, and the value; nil: the key has no option.
    let line: (words: [String], value: String)?
    /// A wrong right side, and words of the message.
    let wrongFile: (text: String, says: String)
    /// Wrong words on the command line, and words of the message.
    let wrongLine: (words: [String], says: String)?
  }

  @Test(arguments: keys) func lineWinsOverFileAndFileOverDefault(key: Key) throws {
    for line in [nil, []] as [[String]?] {
      #expect(key.read(try merged(line)) == key.standard)
      #expect(key.read(try merged(line, file: file(key, key.file.text))) == key.file.value)
    }
    #expect(key.file.value != key.standard)
    if let line = key.line {
      let both = try merged(line.words, file: file(key, key.file.text))
      #expect(key.read(both) == line.value)
      #expect(line.value != key.file.value)
    }
  }

  @Test func theShortOptionsOfFUSEAreUnderstood() throws {
    #expect(try MountArguments.parse(["-f"]).staysInForeground)
    #expect(try MountArguments.parse(["-d"]).staysInForeground)
    #expect(try !MountArguments.parse([]).staysInForeground)
    let file = "log-level = \"error\"\n"
    #expect(try merged(["-f"], file: file).mount.logLevel == .error)
    #expect(try merged(["-d"], file: file).mount.logLevel == .debug)
    #expect(try merged(["-d", "--log-level", "info"], file: file).mount.logLevel == .info)
  }

  @Test(arguments: keys) func aWrongTextInTheFileIsFoundByItself(key: Key) throws {
    let text = file(key, key.wrongFile.text)
    let error = try #require(fault { try merged(nil, file: text) })
    #expect(error.contains(key.wrongFile.says), "\(error)")
  }

  @Test(arguments: keys.filter { $0.wrongLine != nil })
  func aWrongTextOnTheLineIsFound(key: Key) throws {
    let line = try #require(key.wrongLine)
    let error = try #require(fault { try merged(line.words) })
    #expect(error.contains(line.says), "\(error)")
    #expect(!error.contains("\n"))
  }

  @Test func noKeyIsMissingHere() throws {
    let error = try #require(throws: SettingsError.self) { try Settings(toml: "nonsense-key = 1") }
    let known = try #require(error.reason.split(separator: "known keys are ").last)
    let names = Set(known.split(separator: ", ").map(String.init))
    #expect(names == Set(Self.keys.map(\.name) + ["feed", "player"]))
  }

  @Test func theFileKnowsTheFormatsThatTheRankingKnows() {
    #expect(FeedSettings.formats == MediaFormat.names)
  }

  @Test func aFeedsOwnSettingsWinOverThoseOfAllFeeds() throws {
    let file = try Settings(
      toml: """
        refresh = 60
        max-height = 480
        [[feed]]
        url = "https://example.org/feed"
        name = "talks"
        refresh = 90
        headers = { X-Key = "k" }
        """)
    let feed = FeedChoice(file.feeds[0], try MountArguments.parse(["--pages", "7"]), over: file)
    #expect(feed.address == "https://example.org/feed" && feed.name == "talks")
    #expect(feed.refreshInterval == .seconds(90) && feed.media.maxHeight == 480 && feed.pages == 7)
    #expect(feed.headers == ["X-Key": "k"])
  }

  @Test func aFileIsNotLookedIntoForAPlayerThatIsNamed() throws {
    let refuse: () throws(CommandError) -> Settings = { () throws(CommandError) in
      throw CommandError(.configuration, "wrong")
    }
    #expect(try Settings.player("vlc", over: refuse) == "vlc")
    #expect(throws: CommandError.self) { try Settings.player(nil, over: refuse) }
    let file = try Settings(toml: "player = \"celluloid\"")
    #expect(try Settings.player(nil) { () throws(CommandError) in file } == "celluloid")
    #expect(try Settings.player(nil) { () throws(CommandError) in Settings() } == "mpv")
  }

  @Test func aLimitInTheFileIsLiftedOnTheLine() throws {
    let all = try merged(
      ["--limit-rate", "off", "--proxy", ""], file: "limit-rate = '2M'\nproxy = 'http://p:1'")
    #expect(all.mount.limitRate == .unlimited && all.mount.network.proxies.all.isEmpty)
  }

  @Test func theEnvironmentsProxyCountsWhereNeitherFileNorLineNamesOne() throws {
    func proxy(_ line: [String], file text: String = "") throws -> String? {
      let line = try MountArguments.parse(line)
      let settings = try MountSettings(
        line, over: Settings(toml: text), ["https_proxy": "http://e:3"])
      return settings.network.proxies.all.first.map { "\($0.place) \($0.source)" }
    }
    #expect(try proxy([]) == "e:3 https_proxy")
    #expect(try proxy([], file: "proxy = \"p:1\"") == "p:1 proxy in config.toml")
    #expect(try proxy(["--proxy", "q:2"], file: "proxy = \"p:1\"") == "q:2 --proxy")
    #expect(try proxy(["--proxy", "none"], file: "proxy = \"p:1\"") == nil)
    #expect(try proxy([], file: "proxy = \"none\"") == nil)
  }

  /// A mount locks both, and would find the second one locked.
  @Test func cacheAndStateAreNeverInOneDirectory() throws {
    let one = Directories(
      environment: ["XDG_CACHE_HOME": "/x", "XDG_STATE_HOME": "/x"], registeredHome: { nil })
    let error = try #require(throws: CommandError.self) {
      try MountDirectories(nil, over: Settings(), of: one)
    }
    #expect(error.code == .configuration && error.description.contains("--cache-dir"))
    #expect(throws: CommandError.self) {
      try MountDirectories("/y/../x/feedfs", over: Settings(), of: one)
    }
    #expect(try MountDirectories("/y", over: Settings(), of: one).state == "/x/feedfs")
  }

  /// The daemon gets values, not texts.
  @Test func optionsAreTheSameBehindThePipeToTheDaemon() throws {
    let words = Self.keys.flatMap { $0.line?.words ?? [] }
    let all = try merged(words, file: "pins = \(Self.pins)\nresolver = [\"r\", \"{url}\"]")
    var options = MountOptions(
      feeds: [all.feed], mountPoint: "/m", directories: MountDirectories(cache: "/c", state: "/s"),
      settings: all.mount)
    options.mode = .paused
    options.mountOptions = ["noatime"]
    #expect(try Wire.decode(MountOptions.self, from: Wire.encode(options)) == options)
  }

  // MARK: Private

  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "feedfs-merging-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["a", "b"] {
      try Data("-----BEGIN CERTIFICATE-----".utf8).write(
        to: URL(fileURLWithPath: "\(folder)/\(name).pem"))
    }
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/empty.pem"))
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func filled(_ text: String) -> String { text.replacing("FOLDER", with: folder) }

  private func file(_ key: Key, _ text: String) -> String { "\(key.name) = \(text)\n" }

  /// - Parameter words: the command line; nil: none, as when the file is checked by itself.
  private func merged(_ words: [String]?, file text: String = "") throws -> Merged {
    let file = try Settings(toml: filled(text))
    let line = try words.map { try MountArguments.parse($0.map(filled)) }
    let feed = FeedChoice(Subscription(url: "https://example.org/feed"), line, over: file)
    try feed.check()
    return Merged(
      mount: try MountSettings(line, over: file, [:]), feed: feed,
      cache: try? MountDirectories(line?.cacheDir, over: file).cache.string)
  }

  private func fault(_ body: () throws -> Merged) -> String? {
    do {
      _ = try body()
      return nil
    } catch let error as CommandError {
      return error.code == .usage || error.code == .noInput ? error.description : nil
    } catch let error as SettingsError {
      return error.description
    } catch {
      return MountArguments.message(for: error)
    }
  }
}
