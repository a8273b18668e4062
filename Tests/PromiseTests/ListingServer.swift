import Glibc
import TestSupport

/// A web server of others, with the configuration that it has after its installation.
enum ServerKind: String, CaseIterable, Sendable {
  case python, nginx, lighttpd, apache, caddy

  static let there = allCases.filter(\.isThere)

  private var isThere: Bool {
    switch self {
    case .python: isInstalled("python3")
    case .nginx, .lighttpd, .caddy: isInstalled(rawValue)
    case .apache: isInstalled("apache2")
    }
  }

  /// Whether its listing has the exact sizes of files.
  var tellsSizes: Bool { self == .nginx || self == .caddy }
}

/// A server that lists the folder `media` of a test. It ends with its owner.
final class ListingServer: Sendable {
  let port: UInt16
  private let log: String
  private let child: ChildProcess

  /// - Parameter limit: the bytes a second of each connection, as nginx writes it.
  init(_ kind: ServerKind, of feed: MountedFeed, limit: String? = nil) throws {
    port = try SlicingProxy.freePort()
    let place = "\(feed.folder)/server"
    log = place + "/access.log"
    // Apache gives up the rights of root.
    chmod(feed.folder, 0o755)
    let (text, command) = Self.setup(kind, in: place, serving: feed.media, at: port)
    let limited = limit.map {
      text.replacing("autoindex on;", with: "autoindex on; limit_rate \($0);")
    }
    try feed.write(limited ?? text, to: "server/conf", mode: 0o644)
    child = try ChildProcess(["sh", "-c", "exec \(command)", "sh"])
    let answers = try eventually {
      try ChildProcess.run(["curl", "-sfo", "/dev/null", url]).status == 0
    }
    guard answers else { throw TestToolError("\(kind) does not answer: \(child.errors.text)") }
  }

  deinit {
    child.killGroup()
    _ = child.wait(timeout: .seconds(5))
  }

  var url: String { "http://127.0.0.1:\(port)/" }

  /// The number of requests for a file so far.
  func requests(for name: String) throws -> Int {
    try ChildProcess.run(["cat", log]).out.split(separator: "\n")
      .count { $0.contains("/\(name)") }
  }

  private static func setup(
    _ kind: ServerKind, in place: String, serving root: String, at port: UInt16
  ) -> (text: String, command: String) {
    switch kind {
    case .python:
      return (
        "",
        "python3 -u -m http.server -b 127.0.0.1 -d \(root) \(port) >/dev/null 2>\(place)/access.log"
      )
    case .nginx:
      let text = """
        daemon off; master_process off; pid \(place)/pid; error_log \(place)/errors;
        events { worker_connections 256; }
        http {
          access_log \(place)/access.log;
          types { video/mp4 mp4; video/webm webm; text/vtt vtt; }
          client_body_temp_path \(place)/1; proxy_temp_path \(place)/2;
          fastcgi_temp_path \(place)/3; uwsgi_temp_path \(place)/4; scgi_temp_path \(place)/5;
          server { listen 127.0.0.1:\(port); root \(root); autoindex on; }
        }
        """
      return (text, "nginx -p \(place) -c \(place)/conf 2>\(place)/said")
    case .lighttpd:
      let text = """
        server.document-root = "\(root)"
        server.port = \(port)
        server.bind = "127.0.0.1"
        server.modules = ("mod_dirlisting", "mod_accesslog")
        dir-listing.activate = "enable"
        accesslog.filename = "\(place)/access.log"
        mimetype.assign = (".mp4" => "video/mp4", ".webm" => "video/webm", ".vtt" => "text/vtt")
        """
      return (text, "lighttpd -D -f \(place)/conf 2>\(place)/said")
    case .apache:
      let modules = ["mpm_event", "authz_core", "mime", "dir", "autoindex"].map {
        "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n"
      }
      let text = """
        ServerRoot \(place)
        PidFile \(place)/pid
        DefaultRuntimeDir \(place)
        Listen 127.0.0.1:\(port)
        ServerName localhost
        User nobody
        Group nogroup
        \(modules.joined())TypesConfig /etc/mime.types
        ErrorLog \(place)/errors
        CustomLog \(place)/access.log "%r"
        DocumentRoot \(root)
        <Directory \(root)>
          Options Indexes
          IndexOptions FancyIndexing
          Require all granted
        </Directory>
        """
      return (text, "apache2 -X -f \(place)/conf 2>\(place)/said")
    case .caddy:
      let text = """
        {
          admin off
          auto_https off
        }
        http://127.0.0.1:\(port) {
          root * \(root)
          file_server browse
          log {
            output file \(place)/access.log
          }
        }
        """
      return (
        text,
        "env HOME=\(place) caddy run --config \(place)/conf --adapter caddyfile 2>\(place)/said"
      )
    }
  }
}
