public import ISO7816
internal import Octets

/// The data of an issuer's response that are for the card: tags 8A, 91, 71 and 72. A part of a wrong form is dropped and
/// named; the issuer's verdict stands.
public struct IssuerData: Hashable, Sendable {
  /// Tag 8A: the authorisation response code, two bytes; nil when the host gave none.
  public private(set) var responseCode: [UInt8]?
  /// Tag 91: issuer authentication data, 8...16 bytes; nil when the host gave none.
  public private(set) var authenticationData: [UInt8]?
  /// Templates 71 and 72: issuer scripts, in the order in which they came; at most 128 bytes together.
  public private(set) var scripts: [TLVNode] = []
  /// A sentence for each part that was dropped: the tag, the value found, the limit. Never card data.
  public private(set) var dropped: [String] = []

  /// The bytes that tag 91 may have (EMV 4.4 Book 3, annex A1).
  public static let authenticationCounts = 8...16
  /// The most bytes of all scripts, with tags and lengths.
  public static let maximumScriptCount = 128

  /// Creates data without any part.
  public init() {}

  /// Checks the parts of a response.
  ///
  /// - Parameters:
  ///   - responseCode: The value of tag 8A, or nil.
  ///   - authenticationData: The value of tag 91, or nil.
  ///   - scripts: Templates 71 and 72 one after the other, with tags and lengths; empty for none.
  public init(responseCode: [UInt8]? = nil, authenticationData: [UInt8]? = nil, scripts: [UInt8] = []) {
    if let responseCode {
      if responseCode.count == 2 {
        self.responseCode = responseCode
      } else {
        dropped.append("tag 8A has \(responseCode.count.bytes): 2 are needed")
      }
    }
    if let authenticationData {
      if Self.authenticationCounts.contains(authenticationData.count) {
        self.authenticationData = authenticationData
      } else {
        dropped.append("tag 91 has \(authenticationData.count.bytes): 8 to 16 are needed")
      }
    }
    do throws(ScriptFault) {
      self.scripts = try Self.checked(scripts)
    } catch { dropped.append("issuer scripts: \(error.reason)") }
  }

  /// Reads the parts from data objects one after the other, as `encoded` returns them. Ignores other data objects.
  public init(parsing octets: [UInt8]) {
    do throws(TLVError) {
      let nodes = try [TLVNode](parsing: octets.span)
      self.init(
        responseCode: nodes.first { $0.tag == .authorisationResponseCode }?.value,
        authenticationData: nodes.first { $0.tag == .issuerAuthenticationData }?.value,
        scripts: nodes.filter { Self.templates.contains($0.tag) }.encoded)
    } catch {
      self.init()
      dropped = ["issuer data: not BER-TLV: \(error)"]
    }
  }

  /// The parts as data objects one after the other.
  public var encoded: [UInt8] {
    var nodes: [TLVNode] = []
    if let responseCode { nodes.append(TLVNode(.authorisationResponseCode, responseCode)) }
    if let authenticationData { nodes.append(TLVNode(.issuerAuthenticationData, authenticationData)) }
    return (nodes + scripts).encoded
  }

  /// Whether there is something to send to a card: tag 91 or a script.
  public var isForCard: Bool { authenticationData != nil || !scripts.isEmpty }

  private static let templates: [Tag] = [.issuerScriptTemplate1, .issuerScriptTemplate2]

  private struct ScriptFault: Error { let reason: String }

  private static func checked(_ octets: [UInt8]) throws(ScriptFault) -> [TLVNode] {
    guard octets.count <= maximumScriptCount else {
      throw ScriptFault(reason: "\(octets.count.bytes) together: the limit is \(maximumScriptCount)")
    }
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw ScriptFault(reason: "not BER-TLV: \(error)") }
    if let other = nodes.first(where: { !templates.contains($0.tag) }) {
      throw ScriptFault(reason: "tag \(other.tag): template 71 or 72 is needed")
    }
    return nodes
  }
}

// The data objects of an issuer's response (EMV 4.4 Book 3, annex A1).
extension Tag {
  /// 71: commands for the card before the second GENERATE AC.
  public static let issuerScriptTemplate1: Tag = 0x71
  /// 72: commands for the card after the second GENERATE AC.
  public static let issuerScriptTemplate2: Tag = 0x72
  /// 86: one command of a script.
  public static let issuerScriptCommand: Tag = 0x86
  /// 8A.
  public static let authorisationResponseCode: Tag = 0x8A
  /// 91.
  public static let issuerAuthenticationData: Tag = 0x91
  /// 9B: transaction status information (TSI).
  public static let transactionStatusInformation: Tag = 0x9B
  /// 9F18: the identifier of a script, four bytes.
  public static let issuerScriptIdentifier: Tag = 0x9F18
  /// 9F5B: the results of the scripts, five bytes each. Other kernels use the tag for something else.
  public static let issuerScriptResults: Tag = 0x9F5B
}
