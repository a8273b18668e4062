/// A codec of pictures in transport streams, and the kinds of its NAL units.
enum PictureCodec {
  case h264, hevc

  /// The name of the codec in Matroska.
  var name: String {
    switch self {
    case .h264: "V_MPEG4/ISO/AVC"
    case .hevc: "V_MPEGH/ISO/HEVC"
    }
  }

  enum Unit {
    case delimiter, videoParameters, sequenceParameters, pictureParameters, information
    case slice(isKey: Bool, isReference: Bool)
    case other
  }

  /// Returns the kind of the NAL unit that begins with this byte.
  func unit(_ first: UInt8) -> Unit {
    switch self {
    case .h264:
      switch first & 31 {
      case 1...4: .slice(isKey: false, isReference: first & 0x60 != 0)
      case 5: .slice(isKey: true, isReference: true)
      case 6: .information
      case 7: .sequenceParameters
      case 8: .pictureParameters
      case 9: .delimiter
      default: .other
      }
    case .hevc:
      switch first >> 1 & 63 {
      // Decoding can begin at these pictures: BLA, IDR, CRA.
      case 16...21: .slice(isKey: true, isReference: true)
      case 0...31: .slice(isKey: false, isReference: true)
      case 32: .videoParameters
      case 33: .sequenceParameters
      case 34: .pictureParameters
      case 35: .delimiter
      default: .other
      }
    }
  }

  /// Whether a unit of supplemental information (SEI) says that decoding can begin at its picture
  /// (H.264 §D.1.8).
  static func isRecoveryPoint(_ unit: ArraySlice<UInt8>) -> Bool {
    var rest = unit.dropFirst()
    while rest.count > 2 {
      var numbers = [0, 0]
      for place in 0..<2 {
        while rest.first == 0xFF {
          numbers[place] += 255
          rest = rest.dropFirst()
        }
        numbers[place] += Int(rest.first ?? 0)
        rest = rest.dropFirst()
      }
      // If the first bit is 1, `recovery_frame_cnt` is 0: the picture itself is already correct.
      if numbers[0] == 6 { return (rest.first ?? 0) & 0x80 != 0 }
      rest = rest.dropFirst(numbers[1])
    }
    return false
  }
}
