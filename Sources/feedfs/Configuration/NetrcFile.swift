import FeedMount
import FoundationEssentials
import Glibc
import HTTP
import Settings
import SystemPackage

/// `~/.netrc`, which is believed where nobody else can read or write it.
struct NetrcFile {
  private let path: FilePath
  private let known: Netrc
  /// Why what it says must not be used.
  private let fault: String?

  /// That of this user; nil where there is none.
  static var own: NetrcFile? {
    Directories.own.home.flatMap { NetrcFile($0.appending(".netrc")) }
  }

  private init?(_ path: FilePath) {
    guard
      let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return nil }
    var status = stat()
    let bytes = try? file.closeAfter {
      guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return [UInt8]()
      }
      return try file.readAll(atMost: Netrc.largestFile)
    }
    guard let bytes else { return nil }
    self.path = path
    known = Netrc(String(decoding: bytes, as: UTF8.self))
    fault =
      if status.st_uid != geteuid() {
        "belongs to user \(status.st_uid)"
      } else if status.st_mode & 0o077 != 0 {
        "is open to others; chmod 600 it"
      } else {
        nil
      }
  }

  /// User name and password for what is typed as `address`, unless that has its own.
  ///
  /// - Throws: where there are some, and the file is not its user's alone.
  func login(for address: String) throws(MountError) -> FeedChoice.Login? {
    guard let url = try? WebURL(parsing: FeedChoice(address).firstPage), !url.hasCredentials,
      let login = known[url.host]
    else { return nil }
    guard fault == nil else {
      throw MountError(.permission, "\(path) has a password for \(url.host), and \(fault ?? "")")
    }
    return FeedChoice.Login(user: login.user, password: login.password)
  }
}
