import TestSupport

/// nginx with TLS before the test origin, with HTTP/2 or HTTP/1.1, on all addresses of this
/// computer.
final class SecureProxy: Sendable {
  /// The reason why there can be no proxy; nil if there can.
  static let obstacle: String? = {
    for program in ["nginx", "openssl"] where !isInstalled(program) {
      return "\(program) is not installed"
    }
    let look = try? ChildProcess.run(["nginx", "-V"])
    return look?.err.contains("http_v2_module") ?? false ? nil : "this nginx has no HTTP/2"
  }()

  let port: UInt16
  /// The path of the certificate authority that TLS should trust.
  let authority: String
  private let host: String
  private let child: ChildProcess

  /// - Parameter name: `h2` or `http/1.1`.
  init(before feed: MountedFeed, protocol name: String = "h2") throws {
    port = try SlicingProxy.freePort()
    host = feed.network?.near ?? "127.0.0.1"
    let place = feed.folder + "/nginx"
    authority = place + "/ca.pem"
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let made = try ChildProcess.run(
      ["sh", "-c", "mkdir \"$1\" && \"$2\" \"$1\" \"$3\"", "sh", place]
        + ["/\(folder)/Gate/certificates.sh", "IP:\(host)"], timeout: .seconds(60))
    guard made.status == 0 else { throw TestToolError("no certificates: \(made.err)") }
    let configuration = """
      daemon off; master_process off; pid \(place)/pid; error_log stderr;
      events { worker_connections 256; }
      http {
        log_format used '$server_protocol $connection';
        access_log \(place)/log used;
        client_body_temp_path \(place)/1; proxy_temp_path \(place)/2; fastcgi_temp_path \(place)/3;
        uwsgi_temp_path \(place)/4; scgi_temp_path \(place)/5;
        keepalive_requests 10000;
        server {
          listen \(port) ssl\(name == "h2" ? " http2" : "");
          ssl_certificate \(place)/good.pem; ssl_certificate_key \(place)/good.pem;
          ssl_protocols TLSv1.3;
          location / {
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_pass http://127.0.0.1:\(feed.origin.port);
          }
        }
      }
      """
    try feed.write(configuration, to: "nginx/conf")
    child = try ChildProcess(["nginx", "-p", place, "-c", place + "/conf"])
    let ask = ["curl", "-skfo", "/dev/null", "https://127.0.0.1:\(port)/__stats"]
    guard try eventually({ try ChildProcess.run(ask).status == 0 }) else {
      throw TestToolError("nginx does not answer: \(child.errors.text)")
    }
    log = place + "/log"
  }

  deinit {
    child.killGroup()
    _ = child.wait(timeout: .seconds(5))
  }

  private let log: String

  func url(_ path: String) -> String { "https://\(host):\(port)\(path)" }

  /// One request that nginx has answered.
  struct Request {
    let version: Substring
    let connection: Substring
  }

  /// The requests that were answered so far, the one of the start included.
  var requests: [Request] {
    contents(of: log).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2 else { return nil }
      return Request(version: words[0], connection: words[1])
    }
  }
}
