import Control
import Catalog
import FeedReading
import Quantities
import SystemPackage

@testable import CommandTools
@testable import FeedMount
@testable import HTTP

extension MergingTests {
  private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="
  static let pins = "{ \"example.org\" = \"\(pin)\" }"

  /// Each key of `config.toml` but `feed` and `player`.
  static let keys: [Key] = [
    Key(
      name: "cache-dir", read: { $0.cache ?? "none" },
      standard: (try? Directories.own.cache.string) ?? "none", file: ("\"/one\"", "/one"),
      line: (["--cache-dir", "/two"], "/two"), wrongFile: ("\"one\"", "a path from the root"),
      wrongLine: nil),
    Key(
      name: "cacert",
      read: {
        $0.mount.network.trust.authorities?.split(separator: "/").last.map(String.init) ?? ""
      },
      standard: "", file: ("\"FOLDER/a.pem\"", "a.pem"),
      line: (["--cacert", "FOLDER/b.pem"], "b.pem"),
      wrongFile: ("\"FOLDER/empty.pem\"", "the file has no certificate in PEM form"),
      wrongLine: (["--cacert", "FOLDER/nowhere.pem"], "the file cannot be read (No such file")),
    Key(
      name: "pins", read: { $0.mount.network.trust.pin(of: "example.org") ?? "" }, standard: "",
      file: (pins, pin), line: nil,
      wrongFile: ("{ \"example.org\" = \"/key\" }", "the pin of example.org must be written"),
      wrongLine: nil),
    Key(
      name: "min-free", read: { "\($0.mount.minFree)" }, standard: "percent(5.0)",
      file: ("\"10g\"", "bytes(10737418240)"), line: (["--min-free", "2.5%"], "percent(2.5)"),
      wrongFile: (
        "\"much\"",
        "line 1: min-free has to be written as bytes (500M, 1.5G, 20GB), or as a share of the disk"
      ),
      wrongLine: (
        ["--min-free", "101%"],
        "The value '101%' is invalid for '--min-free <space>': write it as bytes (500M"
      )),
    Key(
      name: "cache-size",
      read: { $0.mount.cacheSize.bytes { 1000 }.map { "\($0)" } ?? "unlimited" },
      standard: "21474836480", file: ("\"Unlimited\"", "unlimited"),
      line: (["--cache-size", "8m"], "8388608"),
      wrongFile: (
        "\"9999999T\"",
        "line 1: cache-size has to be written as bytes (500M, 1.5G, 20GB), or as a share"
      ),
      wrongLine: (
        ["--cache-size", "5x"], "'5x' is invalid for '--cache-size <space>': write it as"
      )),
    Key(
      name: "limit-rate", read: { $0.mount.limitRate.bytesPerSecond.map { "\($0)" } ?? "off" },
      standard: "off", file: ("\"2M\"", "2097152"), line: (["--limit-rate", "500k"], "512000"),
      wrongFile: (
        "\"fast\"",
        "line 1: limit-rate has to be written as bytes a second (500K, 1.5M, 2MB), or as \"off\""
      ),
      wrongLine: (
        ["--limit-rate", "1.5X"], "'1.5X' is invalid for '--limit-rate <rate>': write it as bytes a"
      )),
    Key(
      name: "fill", read: { $0.mount.fill.rawValue }, standard: "window",
      file: ("\"rest\"", "rest"), line: (["--fill", "all"], "all"),
      wrongFile: ("\"some\"", "fill can be \"window\", \"rest\", \"all\""),
      wrongLine: (["--fill", "some"], "'some' is invalid for '--fill")),
    Key(
      name: "sizes", read: { $0.mount.sizes.rawValue }, standard: "probe",
      file: ("\"open\"", "open"), line: (["--sizes", "probe"], "probe"),
      wrongFile: ("\"some\"", "sizes can be \"probe\", \"open\""),
      wrongLine: (["--sizes", "some"], "'some' is invalid for '--sizes")),
    Key(
      name: "read-timeout", read: { "\($0.mount.network.readTimeout)" }, standard: "60.0 seconds",
      file: ("30.5", "30.5 seconds"), line: (["--read-timeout", "5"], "5.0 seconds"),
      wrongFile: ("0", "from 1 to 86400"),
      wrongLine: (["--read-timeout", "0"], "--read-timeout takes a time from 1 to 86400 seconds")),
    Key(
      name: "allow-private", read: { texts($0.mount.network.allowedPrivate) }, standard: "[]",
      file: ("[\"10.0.0.0/8\"]", "[\"10.0.0.0/8\"]"),
      line: (["--allow-private", "fd00::/8"], "[\"10.0.0.0/8\",\"fd00::/8\"]"),
      wrongFile: ("[\"10.0.0.0/99\"]", "10.0.0.0/99"),
      wrongLine: (["--allow-private", "home"], "home")),
    Key(
      name: "proxy", read: { $0.mount.network.proxies.all.first?.place ?? "" }, standard: "",
      file: ("\"http://p:1\"", "p:1"), line: (["--proxy", "http://q:2"], "q:2"),
      wrongFile: ("1", "has to be a text in quotes"),
      wrongLine: (["--proxy", "ftp://q"], "--proxy is not the address of a proxy")),
    Key(
      name: "metered", read: { "\($0.mount.isMetered)" }, standard: "false",
      file: ("true", "true"), line: (["--no-metered"], "false"),
      wrongFile: ("1", "has to be true or false"), wrongLine: nil),
    Key(
      name: "passthrough", read: { "\($0.mount.passesThrough)" }, standard: "true",
      file: ("false", "false"), line: (["--passthrough"], "true"),
      wrongFile: ("1", "has to be true or false"), wrongLine: nil),
    Key(
      name: "log-level", read: { $0.mount.logLevel.rawValue }, standard: "info",
      file: ("\"debug\"", "debug"), line: (["--log-level", "error"], "error"),
      wrongFile: ("\"all\"", "log-level can be \"error\", \"warning\", \"info\", \"debug\""),
      wrongLine: (["--log-level", "all"], "'all' is invalid for '--log-level")),
    Key(
      name: "refresh", read: { "\($0.feed.refreshInterval)" }, standard: "1800.0 seconds",
      file: ("\"10m\"", "600.0 seconds"), line: (["--refresh", "1h30m"], "5400.0 seconds"),
      wrongFile: ("86401", "from 1 to 86400"),
      wrongLine: (["--refresh", "0"], "--refresh takes a time from 1 to 86400 seconds")),
    Key(
      name: "audio", read: { "\($0.feed.media.audio)" }, standard: "false",
      file: ("true", "true"), line: (["--no-audio"], "false"),
      wrongFile: ("\"yes\"", "has to be true or false"), wrongLine: nil),
    Key(
      name: "max-height", read: { $0.feed.media.maxHeight.map { "\($0)" } ?? "none" },
      standard: "none", file: ("720", "720"), line: (["--max-height", "1080"], "1080"),
      wrongFile: ("0", "from 1"),
      wrongLine: (["--max-height", "0"], "--max-height takes a number above 0")),
    Key(
      name: "prefer", read: { $0.feed.media.prefer?.joined(separator: ",") ?? "none" },
      standard: "none", file: ("[\"av1\", \"mp4\"]", "av1,mp4"),
      line: (["--prefer", "WebM,h264"], "webm,h264"),
      wrongFile: ("[\"divx\"]", "prefer can be \"mp4\""),
      wrongLine: (["--prefer", "mp4,"], "'mp4,' is invalid for '--prefer")),
    Key(
      name: "streams", read: { "\($0.feed.media.streams)" }, standard: "true",
      file: ("\"off\"", "false"), line: (["--streams", "on"], "true"),
      wrongFile: ("true", "has to be a text in quotes"),
      wrongLine: (["--streams", "maybe"], "'maybe' is invalid for '--streams")),
    Key(
      name: "languages", read: { $0.feed.media.languages.joined(separator: ",") },
      standard: "", file: ("[\"en\", \"pt-BR\"]", "en,pt-br"),
      line: (["--languages", "de-CH,zh-Hant"], "de-ch,zh-hant"),
      wrongFile: ("[\"e n\"]", "has to be a list of language tags, like [\"en\", \"pt-BR\"]"),
      wrongLine: (["--languages", "en,"], "'en,' is invalid for '--languages")),
    Key(
      name: "pages", read: { "\($0.feed.pages)" }, standard: "1",
      file: ("\"all\"", "\(Int.max)"), line: (["--pages", "3"], "3"),
      wrongFile: ("\"some\"", "or \"all\""),
      wrongLine: (["--pages", "some"], "'some' is invalid for '--pages")),
    Key(
      name: "guess-pages", read: { "\($0.feed.guessesPages)" }, standard: "false",
      file: ("true", "true"), line: (["--no-guess-pages"], "false"),
      wrongFile: ("1", "has to be true or false"), wrongLine: nil),
    Key(
      name: "sidecars", read: { $0.feed.sidecars.map(\.rawValue).sorted().joined(separator: ",") },
      standard: "subtitles", file: ("[\"nfo\", \"covers\"]", "covers,nfo"),
      line: (["--sidecars", "none"], ""), wrongFile: ("[\"x\"]", "sidecars can be \"subtitles\""),
      wrongLine: (["--sidecars", "x"], "'x' is invalid for '--sidecars")),
    Key(
      name: "newest", read: { $0.feed.rules.newest.map { "\($0)" } ?? "none" }, standard: "none",
      file: ("20", "20"), line: (["--newest", "3"], "3"), wrongFile: ("0", "from 1"),
      wrongLine: (["--newest", "0"], "'0' is invalid for '--newest")),
    Key(
      name: "since", read: { $0.feed.rules.since?.text ?? "none" }, standard: "none",
      file: ("\"90d\"", "90d"), line: (["--since", "2026-01-31"], "2026-01-31"),
      wrongFile: ("90", "since has to be written as a day (2026-01-31), or as an age"),
      wrongLine: (["--since", "May"], "write it as a day (2026-01-31)")),
    Key(
      name: "skip", read: { patterns($0.feed.rules.skip) }, standard: "none",
      file: ("[\"#shorts\", \"/live|replay/\"]", "#shorts,/live|replay/"),
      line: (["--skip", "a", "--skip", "notes: b"], "a,notes: b"),
      wrongFile: ("\"/(/\"", "skip \"/(/\" is not a regular expression: missing closing"),
      wrongLine: (["--skip", "/("], "\"/(\" begins like a regular expression")),
    Key(
      name: "only", read: { patterns($0.feed.rules.only) }, standard: "none",
      file: ("\"keynote\"", "keynote"), line: (["--only", "talk*"], "talk*"),
      wrongFile: ("[1]", "only has to be a text in quotes, or a list of them"),
      wrongLine: (["--only", ""], "has no words")),
    Key(
      name: "min-duration", read: { $0.feed.rules.minDuration?.text ?? "none" }, standard: "none",
      file: ("\"2m\"", "2m"), line: (["--min-duration", "90s"], "90s"),
      wrongFile: ("\"2x\"", "min-duration has to be written as a time (90s, 5m, 1h30m, 30d)"),
      wrongLine: (["--min-duration", "2x"], "write it as a time (90s")),
    Key(
      name: "max-duration", read: { $0.feed.rules.maxDuration?.text ?? "none" }, standard: "none",
      file: ("\"1h30m\"", "1h30m"), line: (["--max-duration", "3h"], "3h"),
      wrongFile: ("\"long\"", "max-duration has to be written as a time"),
      wrongLine: (["--max-duration", "long"], "write it as a time (90s")),
    Key(
      name: "live", read: { $0.feed.rules.live.map { "\($0)" } ?? "none" }, standard: "none",
      file: ("false", "false"), line: (["--live"], "true"),
      wrongFile: ("\"off\"", "live has to be true or false"), wrongLine: nil),
    Key(
      name: "names", read: { $0.feed.names?.rawValue ?? "" }, standard: "",
      file: ("\"origin\"", "origin"), line: (["--names", "title"], "title"),
      wrongFile: ("\"some\"", "names can be \"number\", \"title\", \"origin\""),
      wrongLine: (["--names", "some"], "'some' is invalid for '--names")),
    Key(
      name: "keep", read: { $0.feed.keep?.text ?? "none" }, standard: "none",
      file: ("3", "3"), line: (["--keep", "unplayed"], "unplayed"),
      wrongFile: ("0", "keep has to be written as a number from 1, or as \"all\", \"unplayed\""),
      wrongLine: (["--keep", "some"], "'some' is invalid for '--keep")),
    Key(
      name: "resolver",
      read: { $0.feed.resolver.joined(separator: " ") + " \($0.feed.media.pages)" },
      standard: " false", file: ("[\"r\", \"{url}\"]", "r {url} true"), line: nil,
      wrongFile: ("[\"r\"]", "has to have {url}"), wrongLine: nil),
    Key(
      name: "resolve", read: { "\($0.feed.resolvesAhead)" }, standard: "0",
      file: ("\"ahead:3\"", "3"), line: (["--resolve", "open"], "0"),
      wrongFile: ("\"ahead:0\"", "ahead:N"),
      wrongLine: (["--resolve", "ahead:21"], "'ahead:21' is invalid for '--resolve")),
  ]

  private static func patterns(_ patterns: [EntryPattern]?) -> String {
    patterns.map { $0.map(\.text).joined(separator: ",") } ?? "none"
  }

  private static func texts(_ blocks: [AddressBlock]) -> String {
    String(decoding: (try? Wire.encode(blocks)) ?? [], as: UTF8.self)
  }
}
