import Addresses
package import FeedMount
import Glibc
package import Host
import Settings
import SystemPackage

/// The file `~/.netrc`. Its logins are used only if no other user can read or write the file.
package struct NetrcFile {
  private let path: FilePath
  private let known: Netrc
  /// The reason why the logins must not be used; nil if they can be used.
  private let fault: String?

  /// This user's file; nil if there is none.
  package static var own: NetrcFile? {
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
      return try file.readAll(atMost: Netrc.maxFileBytes)
    }
    guard let bytes else { return nil }
    self.path = path
    known = Netrc(String(decoding: bytes, as: UTF8.self))
    fault =
      if status.st_uid != geteuid() {
        "it belongs to user \(status.st_uid); make it yours"
      } else if status.st_mode & 0o077 != 0 {
        "others may read it; chmod 600 it"
      } else {
        nil
      }
  }

  /// Returns the user name and the password for `address`, as the user typed it; nil if there are
  /// none, or if the address contains its own.
  ///
  /// - Throws: if the file has a login for `address`, but other users can read or write the file.
  package func login(for address: String) throws(CommandError) -> FeedChoice.Login? {
    guard let url = try? WebAddress(parsing: FeedChoice(address).firstPage), url.credentials == nil,
      let login = known[url.host]
    else { return nil }
    guard fault == nil else {
      throw CommandError(.permission, "\(path) has a password for \(url.host), but \(fault ?? "")")
    }
    return FeedChoice.Login(user: login.user, password: login.password)
  }
}
