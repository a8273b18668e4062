package import Feeds
import HTTP
import SystemPackage

/// One feed that is to be mounted, and how.
package struct FeedChoice: Hashable, Codable, Sendable {
  /// An address or an absolute path, as typed: it may hold a secret.
  package var address: String
  /// The name of its folder, where it is one of several; nil: its title.
  package var name: String?
  /// The address of the list that names it, where that is not a file of the user's.
  var list: String?
  /// What a list calls it.
  var title: String?
  /// Seconds between two looks at it, at least.
  package var refreshInterval = 1800.0
  /// Which of an entry's media are played.
  package var media = MediaChoice()
  /// Pages to read without anybody's opening the last entries; `Int.max`: all there are.
  package var pages = 1
  /// Whether further pages are looked for with `?paged=N`, where the feed names none.
  package var guessesPages = false
  package var sidecars: Set<Sidecar.Kind> = [.subtitles]
  /// The program that finds the media of a web page, and its arguments, of which one holds `{url}`.
  package var resolver: [String] = []

  /// For the origin of the address, where that names no user itself.
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

  /// To be asked for, with all it takes.
  package var firstPage: String {
    (try? FeedKey.validate(address)) ?? address
  }

  /// What the user typed to have it, with what is sent along to its origin; nil for a file.
  var typed: WebURL? {
    let address = list ?? address
    guard var url = try? WebURL(parsing: (try? FeedKey.validate(address)) ?? address) else {
      return nil
    }
    if let login { url = url.carrying(user: login.user, password: login.password) }
    return url.carrying((try? fields()) ?? [])
  }

  func fields() throws(HTTPError) -> [HeaderField] {
    var fields: [HeaderField] = []
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      fields.append(try HeaderField(name: name, value: value))
    }
    return fields
  }

  /// What the user asks for is a lower bound; five minutes are one unless the user asks for less.
  var schedule: RefreshSchedule {
    RefreshSchedule(
      base: .seconds(refreshInterval), shortest: .seconds(min(300, refreshInterval)))
  }
}

/// A feed that is a file of the user's.
enum LocalFile {
  /// Its bytes, and one more than is read of a feed where there are more: a device has no end. A pipe
  /// that nobody writes to is empty.
  static func contents(_ path: String) throws(Errno) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter { try file.readAll(atMost: FeedParser.largestBody + 1) }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}
