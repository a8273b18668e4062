import TestSupport

/// The faults of an origin that are tried, by their kind.
enum MatrixFamily: String, CaseIterable, Sendable {
  case wire, ranges, bodies, statuses, redirects, versions

  var faults: [MatrixFault] {
    switch self {
    case .wire: Self.ofWire
    case .ranges: Self.ofRanges
    case .bodies: Self.ofBodies
    case .statuses: Self.ofStatuses
    case .redirects: Self.ofRedirects
    case .versions: Self.ofVersions
    }
  }

  /// Faults on the wire. Requests without an answer are probes; the timeout limits their number.
  private static let ofWire = [
    MatrixFault("reset before the head", .reset).with { $0.maxRequests = 24 },
    MatrixFault("reset in the body", .reset).with {
      $0.isInBody = true
      $0.staying = .either
      $0.maxRequests = 24
    },
    MatrixFault("end before the head", .end).with { $0.maxRequests = 24 },
    MatrixFault("end in the body", .end).with {
      $0.isInBody = true
      $0.staying = .either
    },
    MatrixFault("one byte short", .short).with { $0.staying = .either },
    MatrixFault("100,000 bytes short", .short, ["by": "100000"]).with { $0.staying = .either },
    // The excess bytes may come when the connection is used again, and be taken for an answer.
    MatrixFault("one byte long", .long).with { $0.staying = .either },
    MatrixFault("100,000 bytes long", .long, ["by": "100000"]).with { $0.staying = .either },
    // In a later request than the first, a read that waits for the missing bytes finds the cut.
    MatrixFault("a slice that is cut, and the next one", .slicecut, ["by": "131072"]).with {
      $0.isInBody = true
      $0.staying = .either
      $0.truth = .compared
      $0.maxRequests = 40
    },
    MatrixFault("silent before the head", .stall).with { $0.passing = .either },
    MatrixFault("silent in the body", .stall).with {
      $0.isInBody = true
      $0.staying = .either
      $0.passing = .either
    },
    MatrixFault("a byte a second", .trickle).with {
      $0.isInBody = true
      $0.staying = .either
      // Such an answer never ends by itself.
      $0.passing = .either
    },
    MatrixFault("a late head", .slowhead, ["value": "400"]).with {
      $0.staying = .either
    },
    MatrixFault("no HTTP", .garbage).with { $0.maxRequests = 24 },
  ]

  /// Answers that bring other bytes than those asked for, or claim to.
  private static let ofRanges =
    [
      "bytes {first+1}-{last+1}/{length}", "bytes {first+65536}-{last}/{length}",
      "bytes {first}-{last-1}/{length}", "bytes {first}-{last+1}/{length}",
      "bytes 0-9/{length}", "bytes */{length}",
      "bytes {first}-18446744073709551615/18446744073709551616", "bytes -{first}-{last}/{length}",
      "bytes {last}-{first}/{length}", "pages 1-2/3", "banana",
    ].map { MatrixFault("Content-Range: \($0)", .wrongrange, ["value": $0]) } + [
      // The very first answer proves the length: a lie in it makes the file one byte longer.
      MatrixFault(
        "Content-Range: …/{length+1}", .wrongrange, ["value": "bytes {first}-{last}/{length+1}"]
      ).withAnyEnd,
      // RFC 9110 §14.4: the total may be unknown. Here it is known.
      MatrixFault("Content-Range: …/*", .wrongrange, ["value": "bytes {first}-{last}/*"]).with {
        $0.staying = .either
      },
      MatrixFault("206 without Content-Range", .norange),
      MatrixFault(
        "Content-Range twice, alike", .tworanges, ["value": "bytes {first}-{last}/{length}"]
      ).with { $0.staying = .right },
      MatrixFault("Content-Range twice", .tworanges, ["value": "bytes 0-0/{length}"]),
      MatrixFault("200 for a range", .status200).with { $0.staying = .right },
      MatrixFault("200 for a range, in chunks", .status200chunked).with { $0.staying = .either },
      MatrixFault("multipart", .multipart),
      // Honest parts, which are not those asked for.
      MatrixFault("a part with 200", .partas200).with { $0.staying = .right },
      MatrixFault("at most 100,000 bytes", .shortpart, ["by": "100000"]).with {
        $0.staying = .right
        $0.maxRequests = 24
      },
      // The first bytes of each request are taken, until it is known that no more come.
      MatrixFault("at most 1,000 bytes", .shortpart, ["by": "1000"]).with {
        $0.staying = .either
        $0.maxRequests = 40
      },
      MatrixFault("5,000 bytes more", .longpart, ["by": "5000"]).with { $0.staying = .right },
      MatrixFault("200 for If-Range", .ifrange200).with { $0.staying = .right },
      MatrixFault("416 beyond the end", .strict416).with { $0.staying = .right },
    ]

  /// Bodies that differ from the one asked for.
  private static let ofBodies =
    [
      MatrixFault("gzip", .gzip), MatrixFault("br", .gzip, ["value": "br"]),
      MatrixFault("chunked", .chunked).with { $0.staying = .right },
      MatrixFault("chunked without its end", .chunkedunended).with { $0.staying = .either },
      MatrixFault("Content-Length one too many", .contentlength, ["value": "{count+1}"])
        .with { $0.staying = .either },
      MatrixFault("Content-Length one too few", .contentlength, ["value": "{count-1}"]).with {
        $0.staying = .either
      },
      MatrixFault("Content-Length negative", .contentlength, ["value": "-1"]).with {
        $0.staying = .either
        $0.maxRequests = 24
      },
      MatrixFault("a portal's page, 200", .html),
      // The page is as long as the range asked for, so each answer costs a connection: the answer
      // after the third may come when the reader's 5 s are over.
      // Where nothing is known of the film's own type, its beginning is asked for besides.
      MatrixFault("a portal's page, 206", .html206).with {
        $0.passing = .either
        $0.maxRequests = 24
      },
      MatrixFault("1 MiB of header fields", .bigheaders).with { $0.maxRequests = 24 },
      MatrixFault("HEAD that lies", .headlies).with { $0.staying = .right },
    ]
    + ["0", "1", "-1", "1048575", "9223372036854775807", "99999999999999999999", "long"].map {
      announced in
      // Plus a HEAD that lies, though HEAD is never asked.
      MatrixFault("length \(announced) in the feed", .headlies).with {
        $0.announced = announced
        $0.staying = .right
      }
    }

  private static let ofStatuses =
    [500, 502, 503, 504, 408, 418, 204, 304].map {
      MatrixFault("\($0)", .status, ["code": "\($0)"])
    }
    + [
      MatrixFault("429", .status, ["code": "429"]),
      MatrixFault("429, in 1 s", .status, ["code": "429", "retry_after": "1"]),
      MatrixFault("503, in 1 s", .status, ["code": "503", "retry_after": "1"]),
      MatrixFault(
        "503, at a time long ago", .status,
        ["code": "503", "retry_after": "Fri, 01 May 2015 10:00:00 GMT"]),
      MatrixFault("503, in -1 s", .status, ["code": "503", "retry_after": "-1"]),
      // The wait is five minutes at most: longer than a reader waits here.
      MatrixFault("503, in 10¹² s", .status, ["code": "503", "retry_after": "1000000000000"])
        .with {
          $0.passing = .either
          $0.recovers = false
        },
      MatrixFault("416, the length as known", .status, ["code": "416"]).with {
        $0.passing = .either
      },
      MatrixFault("416, another length", .status, ["code": "416", "value": "bytes */9"])
        .with { $0.passing = .either },
      MatrixFault("416, no length", .status, ["code": "416", "value": ""]).with {
        $0.passing = .either
      },
    ]
    + [401, 403, 404, 410].map { code in
      // The feed is asked once for another address, and has none.
      MatrixFault("\(code)", .status, ["code": "\(code)"]).with { $0.passing = .either }
    }

  private static let ofRedirects =
    [
      MatrixFault("one redirect", .redirect, ["hops": "1", "to": "{there}"]).with {
        $0.staying = .right
        $0.maxRequests = 24
      },
      MatrixFault("5 redirects", .redirect, ["hops": "5", "to": "{there}"]).with {
        $0.staying = .right
        $0.maxRequests = 60
      },
      MatrixFault("20 redirects", .redirect, ["hops": "20", "to": "{there}"]).with {
        $0.staying = .right
        $0.maxRequests = 200
      },
      MatrixFault("redirects in a circle", .redirect).with { $0.maxRequests = 200 },
    ]
    // An address that is never asked gives nothing to wait for.
    + ["ftp://127.0.0.1/film.mp4", "file:///etc/passwd", "http://10.255.255.1/film.mp4", "http://"]
    .map { target in
      MatrixFault("redirect to \(target)", .redirect, ["to": target]).with { $0.passing = .fails }
    }

  private static let ofVersions = [
    // Another tag is doubted, and bytes are compared. Where the answers at other places have the known tag,
    // that brings nothing, and is done again: more often the busier the machine is.
    MatrixFault("another version", .changed).with {
      $0.staying = .either
      $0.passing = .either
      $0.truth = .one
      $0.maxRequests = 60
    },
    MatrixFault("another tag", .etag, ["value": "\"another\""]).withAnyEnd.with {
      $0.maxRequests = 60
    },
    MatrixFault("a weak tag", .weaketag).withAnyEnd.with { $0.maxRequests = 60 },
    MatrixFault("no tag", .noetag).withAnyEnd.with { $0.maxRequests = 60 },
    MatrixFault("a tag that is none", .etag, ["value": "another"]).withAnyEnd.with {
      $0.maxRequests = 60
    },
    MatrixFault("another date", .lastmodified, ["value": "Fri, 01 May 2015 10:00:00 GMT"])
      .withAnyEnd,
    MatrixFault("other bytes under one tag", .otherbytes).with {
      $0.staying = .either
      $0.passing = .either
      $0.truth = .mixed
    },
  ]
}

extension MatrixFault {
  /// Lets a reader get all bytes or an error, whether the fault stays or passes.
  fileprivate var withAnyEnd: MatrixFault {
    with {
      $0.staying = .either
      $0.passing = .either
    }
  }
}
