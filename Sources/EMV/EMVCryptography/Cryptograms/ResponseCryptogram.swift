public import Ciphers
internal import Octets

/// Authorisation response cryptograms (ARPC), by which a card authenticates its issuer's response (EMV 4.3 Book 2,
/// 8.2).
public enum ResponseCryptogram {
  /// The permitted number of bytes of proprietary data after a card status update.
  public static let proprietaryCounts = 0...8

  /// Method 1 with triple DES: eight bytes.
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - responseCode: The authorisation response code, two bytes.
  public static func method1(
    _ cryptogram: UInt64, responseCode: UInt16, _ keys: borrowing TripleDESKeys
  ) -> UInt64 {
    keys.encipher(cryptogram ^ UInt64(responseCode) << 48)
  }

  /// Method 1 with AES: the leftmost eight bytes. No public vector from a card or an HSM exists.
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - responseCode: The authorisation response code, two bytes.
  public static func method1(_ cryptogram: UInt64, responseCode: UInt16, _ keys: borrowing AESKeys) -> UInt64 {
    UInt64(keys.encipher(UInt128(cryptogram ^ UInt64(responseCode) << 48) << 64) >> 64)
  }

  /// Method 2 with triple DES: the leftmost four bytes of the MAC.
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - cardStatusUpdate: The changes that the card must make, four bytes (EMV 4.3 Book 3, C10).
  ///   - proprietaryData: Proprietary data of the issuer, 0...8 bytes; more bytes trap.
  public static func method2(
    _ cryptogram: UInt64, cardStatusUpdate: UInt32, proprietaryData: [UInt8], _ keys: borrowing TripleDESKeys
  ) -> UInt32 {
    let covered = covered(cryptogram, cardStatusUpdate, proprietaryData)
    var mac = RetailMAC()
    mac.absorb(covered.span, keys)
    return UInt32(mac.finish(.mandatory, keys) >> 32)
  }

  /// Method 2 with AES: the leftmost four bytes of the MAC. No public vector from a card or an HSM exists.
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - cardStatusUpdate: The changes that the card must make, four bytes (EMV 4.3 Book 3, C10).
  ///   - proprietaryData: Proprietary data of the issuer, 0...8 bytes; more bytes trap.
  public static func method2(
    _ cryptogram: UInt64, cardStatusUpdate: UInt32, proprietaryData: [UInt8], _ keys: borrowing AESKeys
  ) -> UInt32 {
    let covered = covered(cryptogram, cardStatusUpdate, proprietaryData)
    var mac = CMAC()
    mac.absorb(covered.span, keys)
    return UInt32(mac.finish(keys) >> 32)
  }

  /// Whether issuer authentication data, the value of tag 91, are right for a cryptogram: for the card, which allocates nothing.
  /// The comparison takes the same time wherever they differ.
  ///
  /// - Parameters:
  ///   - data: Ten bytes for a code: cryptogram and code. Eight to 16 for a card status update: cryptogram, update and
  ///     proprietary data, which the update announces. Other lengths are not right.
  public static func matches(
    _ data: Span<UInt8>, _ method: CryptogramVersion.ResponseRule.Method, _ cryptogram: UInt64,
    _ keys: borrowing TripleDESKeys, with index: Int
  ) -> Bool {
    switch method {
    case .responseCode:
      guard data.count == 10 else { return false }
      let code = data.integer(at: 8, as: UInt16.self)
      let expected = keys.encipher(cryptogram ^ UInt64(code) << 48, with: index)
      return data.integer(at: 0, as: UInt64.self) ^ expected == 0
    case .cardStatusUpdate:
      guard (8...16).contains(data.count) else { return false }
      // Byte 1 bit 8: proprietary data are present (EMV 4.4 Book 3, annex C10).
      let isLong = data[4] & 0x80 != 0
      guard isLong == (data.count > 8) else { return false }
      var mac = RetailMAC()
      mac.absorb(cryptogram, count: 8, keys, with: index)
      mac.absorb(data.extracting(4..<data.count), keys, with: index)
      return data.integer(at: 0, as: UInt32.self) ^ UInt32(mac.finish(.mandatory, keys, with: index) >> 32) == 0
    }
  }

  private static func covered(
    _ cryptogram: UInt64, _ cardStatusUpdate: UInt32, _ proprietaryData: [UInt8]
  ) -> [UInt8] {
    precondition(
      proprietaryCounts.contains(proprietaryData.count),
      "\(proprietaryData.count.bytes) of proprietary authentication data: the limit is 8")
    return cryptogram.bigEndianOctets + cardStatusUpdate.bigEndianOctets + proprietaryData
  }
}
