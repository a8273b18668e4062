import Glibc
import TestSupport

/// nginx with its `slice` module before the test origin, on all addresses of this computer.
///
/// Each file may have its own address, which makes that an origin of its own.
final class SlicingProxy: Sendable {
  /// The reason why there can be no proxy; nil if there can.
  static let obstacle: String? = {
    guard isInstalled("nginx") else { return "nginx is not installed" }
    let look = try? ChildProcess.run(["nginx", "-V"])
    return look?.err.contains("http_slice_module") ?? false
      ? nil : "this nginx has no slice module"
  }()

  let port: UInt16
  private let child: ChildProcess

  /// - Parameter slice: KiB of each request to the origin.
  init(before feed: MountedFeed, slice: Int) throws {
    port = try Self.freePort()
    let place = feed.folder + "/nginx"
    let configuration = """
      daemon off; master_process off; pid \(place)/pid; error_log stderr;
      events { worker_connections 256; }
      http {
        access_log off;
        client_body_temp_path \(place)/1; proxy_temp_path \(place)/2; fastcgi_temp_path \(place)/3;
        uwsgi_temp_path \(place)/4; scgi_temp_path \(place)/5;
        server {
          listen \(port);
          location / {
            slice \(slice)k;
            proxy_set_header Range $slice_range;
            proxy_http_version 1.1;
            proxy_pass http://127.0.0.1:\(feed.origin.port);
          }
        }
      }
      """
    try feed.write(configuration, to: "nginx/conf")
    child = try ChildProcess(["nginx", "-p", place, "-c", place + "/conf"])
    let url = "http://127.0.0.1:\(port)/__stats"
    let answers = try eventually {
      try ChildProcess.run(["curl", "-sfo", "/dev/null", url]).status == 0
    }
    guard answers else { throw TestToolError("nginx does not answer: \(child.errors.text)") }
  }

  deinit {
    stop()
  }

  func stop() {
    child.killGroup()
    _ = child.wait(timeout: .seconds(5))
  }

  /// The number of connections that the origin closed early, by nginx's log.
  var cuts: Int {
    child.errors.text.split(separator: "\n").count { $0.contains("prematurely closed") }
  }

  /// A port without a listener. nginx cannot be told to take any free port.
  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound else { throw TestToolError("no port is free") }
    return UInt16(bigEndian: name.sin_port)
  }
}
