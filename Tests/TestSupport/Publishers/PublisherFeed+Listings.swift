extension PublisherFeed {
  /// The folders of web servers, each with a film, its subtitles, a text and a folder.
  static let listings: [PublisherFeed] = [
    listing(
      "nginx", "text/html",
      """
      <html>\r\n<head><title>Index of {p}</title></head>\r\n<body>\r\n<h1>Index of {p}</h1><hr><pre>\
      <a href="../">../</a>\r\n<a href="sub/">sub/</a>      01-May-2026 10:00       -\r\n\
      <a href="a%20film.mp4">a film.mp4</a>    01-May-2026 10:00   300000\r\n\
      <a href="a%20film.en.vtt">a film.en.vtt</a>  01-May-2026 10:00   99\r\n\
      <a href="notes.txt">notes.txt</a>   01-May-2026 10:00   1\r\n</pre><hr></body>\r\n</html>
      """),
    listing(
      "nginx, JSON", "application/json",
      """
      [{ "name":"sub", "type":"directory", "mtime":"Fri, 01 May 2026 10:00:00 GMT" },
      { "name":"a film.mp4", "type":"file", "mtime":"Fri, 01 May 2026 10:00:00 GMT", "size":300000 },
      { "name":"notes.txt", "type":"file", "mtime":"Fri, 01 May 2026 10:00:00 GMT", "size":1 }]
      """),
    listing(
      "nginx, XML", "text/xml",
      """
      <?xml version="1.0"?><list><directory mtime="2026-05-01T10:00:00Z">sub</directory>
      <file mtime="2026-05-01T10:00:00Z" size="300000">a film.mp4</file></list>
      """),
    listing(
      "Apache, a plain list", "text/html",
      """
      <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><head><title>Index of {p}</title>
      </head><body><h1>Index of {p}</h1><ul><li><a href="/"> Parent Directory</a></li>
      <li><a href="a%20film.mp4"> a film.mp4</a></li><li><a href="sub/"> sub/</a></li></ul></body></html>
      """),
    listing(
      "Apache, a table", "text/html",
      """
      <!DOCTYPE HTML><html><head><title>Index of {p}</title></head><body><h1>Index of {p}</h1><table>
      <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th>
      </tr><tr><td><img src="/icons/movie.gif" alt="[VID]"></td><td><a href="a%20film.mp4">a film.mp4</a></td>
      <td align="right">2026-05-01 10:00  </td><td align="right">293K</td><td>&nbsp;</td></tr></table></body></html>
      """),
    listing(
      "lighttpd", "text/html",
      """
      <?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN"
      "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head>
      <title>Index of {p}</title></head><body><h2>Index of {p}</h2><table><tbody>
      <tr class="d"><td class="n"><a href="../">..</a>/</td></tr><tr><td class="n">
      <a href="a%20film.mp4">a film.mp4</a></td><td class="m">2026-May-01 10:00:00</td>
      <td class="s">0.3M</td></tr></tbody></table></body></html>
      """),
    listing(
      "Caddy", "text/html",
      """
      <!DOCTYPE html><html><head><title>v</title></head><body><h1><a href="/">/</a></h1><table>
      <tr><td><a href="./sub/"><span>sub</span></a></td></tr><tr class="file"><td>
      <a href="./a%20film.mp4"><svg></svg> <span class="name">a film.mp4</span></a></td>
      <td><time datetime="2026-05-01T10:00:00Z">05/01/2026</time></td></tr></table></body></html>
      """),
    listing(
      "Caddy, JSON", "application/json",
      #"""
      [{"name":"sub/","size":4096,"url":"./sub/","mod_time":"2026-05-01T10:00:00Z","mode":2147484141,
      "is_dir":true,"is_symlink":false},{"name":"a film.mp4","size":300000,"url":"./a%20film.mp4",
      "mod_time":"2026-05-01T12:00:00.123456789+02:00","mode":420,"is_dir":false,"is_symlink":false}]
      """#),
    listing(
      "rclone serve http", "text/html",
      """
      <!DOCTYPE html><html lang="en"><head><title>Directory listing of {p}</title></head><body>
      <h1>Directory listing of {p}</h1><table><tr><td><a href="?sort=namedirfirst">Name</a></td></tr>
      <tr class="file"><td><a href="./a%20film.mp4"><span class="name">a film.mp4</span></a></td>
      <td>292.969Ki</td></tr></table></body></html>
      """),
    listing(
      "Python, http.server", "text/html",
      """
      <!DOCTYPE HTML><html lang="en"><head><title>Directory listing for {p}</title></head><body>
      <h1>Directory listing for {p}</h1><hr><ul><li><a href="a%20film.mp4">a film.mp4</a></li>
      <li><a href="sub/">sub/</a></li></ul><hr></body></html>
      """),
    listing(
      "WsgiDAV", "text/html",
      """
      <!DOCTYPE html><html><head><title>WsgiDAV - Index of {p}</title></head><body>
      <h1>Index of {p}</h1><table><tr><td><a href="../">..</a></td></tr><tr><td>
      <a href="{p}a%20film.mp4">a film.mp4</a></td><td>Fri, 01 May 2026 10:00:00 GMT</td></tr></table></body></html>
      """),
  ]

  /// - Parameter page: the listing; "{p}" stands for its path.
  private static func listing(_ name: String, _ type: String, _ page: String) -> PublisherFeed {
    let path = "/dir/\(name.filter { $0.isLetter })/"
    return PublisherFeed(
      "Folder by \(name)", at: path, type, items: [.file("{o}\(path)a%20film.mp4")],
      page.replacing("{p}", with: path))
  }
}
