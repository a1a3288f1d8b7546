internal import Documents
internal import JSON
internal import Octets

/// A message of the protocol as it is transmitted: a list with one dictionary per version (FIDO UAF Protocol Specification
/// 1.1, section 3.1).
///
/// This library creates lists of one dictionary. It reads lists of several, of which it takes the highest version that it
/// supports; two dictionaries of one version are an error.
public enum UAFMessage: Hashable, Sendable {
  /// A registration request.
  case registrationRequest(RegistrationRequest)
  /// An authentication request.
  case authenticationRequest(AuthenticationRequest)
  /// A deregistration request.
  case deregistrationRequest(DeregistrationRequest)
  /// A registration response.
  case registrationResponse(UAFResponse)
  /// An authentication response.
  case authenticationResponse(UAFResponse)

  /// The largest message that is read, in bytes: 1 MiB.
  public static let maximumCount = 1_048_576

  /// Reads a request.
  ///
  /// - Throws: `UAFMessageError`.
  public init(request text: String) throws(UAFMessageError) {
    let (json, path, header) = try Self.newestDictionary(in: text)
    do throws(DocumentError) {
      switch header.operation {
      case .registration: self = .registrationRequest(try RegistrationRequest(json, at: path))
      case .authentication: self = .authenticationRequest(try AuthenticationRequest(json, at: path))
      case .deregistration: self = .deregistrationRequest(try DeregistrationRequest(json, at: path))
      }
    } catch {
      throw UAFMessageError(error)
    }
  }

  /// Reads a response.
  ///
  /// - Throws: `UAFMessageError`.
  public init(response text: String) throws(UAFMessageError) {
    let (json, path, header) = try Self.newestDictionary(in: text)
    do throws(DocumentError) {
      switch header.operation {
      case .registration: self = .registrationResponse(try UAFResponse(json, at: path))
      case .authentication: self = .authenticationResponse(try UAFResponse(json, at: path))
      case .deregistration: throw DocumentError("\(path).header.op", "a deregistration has no response")
      }
    } catch {
      throw UAFMessageError(error)
    }
  }

  /// The message as the text that is transmitted.
  public var text: String {
    let dictionary: JSONValue =
      switch self {
      case .registrationRequest(let request): request.json
      case .authenticationRequest(let request): request.json
      case .deregistrationRequest(let request): request.json
      case .registrationResponse(let response), .authenticationResponse(let response): response.json
      }
    return JSONValue([dictionary]).compact
  }

  private static func newestDictionary(
    in text: String
  ) throws(UAFMessageError) -> (JSONValue, String, OperationHeader) {
    guard text.utf8.count <= maximumCount else {
      throw UAFMessageError("$", "\(text.utf8.count.bytes): at most \(maximumCount) are read")
    }
    let dictionaries = try dictionaries(in: text)
    guard Set(dictionaries.map(\.header.version)).count == dictionaries.count else {
      throw UAFMessageError("$", "contains two dictionaries of one version")
    }
    let supported = dictionaries.filter { UAFVersion.supported.contains($0.header.version) }
    guard let newest = supported.max(by: { $0.header.version < $1.header.version }) else {
      throw UAFMessageError("$", "contains no dictionary of version 1.0 or 1.1", .unsupportedVersion)
    }
    return newest
  }

  private static func dictionaries(
    in text: String
  ) throws(UAFMessageError) -> [(json: JSONValue, path: String, header: OperationHeader)] {
    do throws(DocumentError) {
      return try StrictReader.list(JSONValue(message: text.utf8), at: "$") { (json, path) throws(DocumentError) in
        (json: json, path: path, header: try StrictReader(json, at: path).value("header", OperationHeader.init(_:at:)))
      }
    } catch {
      throw UAFMessageError(error)
    }
  }
}
