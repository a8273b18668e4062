import Addresses
package import Catalog
package import FeedReading
import HTTP
package import Host
import SystemPackage

/// One feed to mount, and how to mount it.
package struct FeedChoice: Hashable, Codable, Sendable {
  /// An address or an absolute path, as the user typed it. It can contain a secret.
  package var address: String
  /// The address to which the feed has moved, as the subscription says; nil if it says none.
  /// `address` stays the key of the feed, and the login and headers belong to it.
  package var moved: String?
  /// The name of the feed's folder in a mount of several feeds; nil for the feed's title.
  package var name: String?
  /// The address of the list that names the feed. Nil if no list names it, or if the list is a
  /// local file.
  var list: String?
  /// The title of the feed in its list.
  var title: String?
  /// The shortest time between two refreshes.
  package var refreshInterval: Duration = .seconds(1800)
  /// The rules by which one of an entry's media is chosen.
  package var media = MediaChoice()
  /// The number of pages to read even if no reader opens the last entries; `Int.max` for all pages.
  package var pages = 1
  /// True if further pages are tried with `?paged=N` when the feed names none.
  package var guessesPages = false
  /// The rules that say which entries the user wants.
  package var rules = EntryRules()
  /// The entries that are fetched automatically; nil for none.
  package var keep: KeepRule?
  package var sidecars: Set<Sidecar.Kind> = [.subtitles]
  /// The way in which files are named. If it is nil, a known feed keeps its names, and a new feed
  /// gets names that suit its kind.
  package var names: FileNaming?
  /// The program that finds the media of a web page, and its arguments; empty for none. One
  /// argument contains `{url}`.
  package var resolver: [String] = []
  /// The number of entries after the playing one whose web pages are resolved in advance.
  package var resolvesAhead = 0

  /// The login for the origin of the address, if the address itself names no user.
  package var login: Login?
  /// Header fields for the origin of the address, and for no other.
  package var headers: [String: String] = [:]

  package struct Login: Hashable, Codable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  package init(_ address: String) {
    self.address = address
  }

  /// The arguments with which yt-dlp prints all facts that feedfs needs, and downloads nothing.
  ///
  /// The output has every format, whichever of them `-f` selects. The long selection only prevents
  /// an error if no format has both picture and sound. For many sites yt-dlp lists subtitles only
  /// if they are requested.
  package static let ytDLP = [
    "yt-dlp", "--no-playlist", "--playlist-items", "1", "--no-progress", "--write-subs",
    "--socket-timeout", "10", "-f", "b/bv*+ba/b*/bv*/ba", "-J", "--", "{url}",
  ]

  /// Throws if the address, `moved` or a header field cannot be used.
  package func check() throws(CommandError) {
    let key: FeedKey
    do { key = try FeedKey(address) } catch { throw CommandError(error) }
    guard key.path == nil else {
      guard moved == nil else {
        throw CommandError(
          .configuration,
          "\(key.shown): a feed that is a file cannot have the key `was`; take it out")
      }
      return
    }
    for url in [firstPage, moved].compactMap(\.self) {
      do { _ = try WebAddress(parsing: FeedKey.validate(url)) } catch { throw CommandError(error) }
    }
    do { _ = try fields() } catch { throw CommandError(error) }
  }

  /// The address to fetch first, with the userinfo that was typed.
  package var firstPage: String {
    (try? FeedKey.validate(address)) ?? address
  }

  /// The address to ask first, as long as no mount knows a later address of the feed.
  package var firstAsked: String {
    moved.flatMap { try? FeedKey.validate($0) } ?? firstPage
  }

  /// The address that the user typed, with the login and headers for its origin; nil for a file.
  /// For a feed from a list, it is the address of the list.
  var typed: TypedAddress? {
    let address = list ?? address
    guard let url = try? WebAddress(parsing: (try? FeedKey.validate(address)) ?? address) else {
      return nil
    }
    return TypedAddress(
      url, user: login?.user, password: login?.password ?? "", fields: (try? fields()) ?? [])
  }

  func fields() throws(HTTPError) -> [HeaderField] {
    var fields: [HeaderField] = []
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      fields.append(try HeaderField(name: name, value: value))
    }
    return fields
  }

  /// The schedule of refreshes. The user's interval is a lower bound for regular refreshes. A retry
  /// can come sooner: after five minutes at least, or after the user's interval if that is shorter.
  var schedule: RefreshSchedule {
    RefreshSchedule(base: refreshInterval, minWait: min(.seconds(300), refreshInterval))
  }
}

/// Reads a local file of the user.
enum LocalFile {
  /// Returns the bytes of the file. Reads at most one byte more than a feed is allowed to have,
  /// because the file can be a device without an end. A pipe without a writer counts as empty.
  static func contents(_ path: String) throws(Errno) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter { try file.readAll(atMost: FeedParser.maxBodyBytes + 1) }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}
