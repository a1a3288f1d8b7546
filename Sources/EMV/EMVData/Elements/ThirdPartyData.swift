internal import Octets

/// Tag 9F6E of Mastercard: country, unique identifier, device type and further data.
///
/// Known from public implementations; Book C-2 (annex A.1.171) was not read.
public struct ThirdPartyData: Hashable, Sendable {
  /// The lengths that the tag can have: 5...32 bytes.
  public static let counts = 5...32

  /// The country (ISO 3166-1), four decimal digits in two bytes.
  public let countryCode: [UInt8]
  /// The identifier of the third party: two bytes.
  public let uniqueIdentifier: [UInt8]
  /// The device type, two characters, when the identifier's highest bit is not set.
  public let deviceType: String?
  /// The bytes after the device type.
  public let proprietaryData: [UInt8]

  /// Reads the bytes, or nil when their number is outside 5...32 or the device type is cut off.
  public init?(_ octets: [UInt8]) {
    guard Self.counts.contains(octets.count) else { return nil }
    countryCode = Array(octets[0..<2])
    uniqueIdentifier = Array(octets[2..<4])
    let hasDeviceType = octets[2] & 0x80 == 0
    guard !hasDeviceType || octets.count >= 6 else { return nil }
    let type = hasDeviceType ? Array(octets[4..<6]) : []
    deviceType = hasDeviceType ? type.isPrintable ? String(decoding: type, as: UTF8.self) : type.hex : nil
    proprietaryData = Array(octets[(hasDeviceType ? 6 : 4)...])
  }

  /// The parts in words.
  public var words: [String] {
    let device = deviceType.map { ["device type \($0): \(Self.deviceTypes[$0] ?? "not known here")"] } ?? []
    let rest = proprietaryData.isEmpty ? [] : ["\(proprietaryData.count.bytes) of proprietary data"]
    return ["country \(countryCode.hex)\(country)", "unique identifier \(uniqueIdentifier.hex)"] + device + rest
  }

  private var country: String {
    let number = (try? BinaryCodedDecimal.value(of: countryCode.span)).map(Int.init)
    return number.flatMap(CountryCode.name(numericCode:)).map { " (\($0))" } ?? ""
  }

  private static let deviceTypes: [String: String] = [
    "00": "card", "01": "phone, removable secure element of the network operator", "02": "key fob", "03": "watch",
    "04": "mobile tag", "05": "wristband", "06": "phone case or sleeve",
    "07": "phone, fixed secure element of the network operator", "08": "removable secure element of another",
    "09": "phone, fixed secure element of another",
  ]
}
