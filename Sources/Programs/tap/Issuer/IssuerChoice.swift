import ArgumentParser
import PaymentAcceptance

/// The host that decides on online requests.
enum IssuerChoice: ExpressibleByArgument, Hashable {
  case test
  case none
  /// The issuer of `tap-server` at a URL.
  case server(String)

  init?(argument: String) {
    switch argument {
    case "test": self = .test
    case "none": self = .none
    case let url where url.hasPrefix("https://") && url.count > "https://".count: self = .server(url)
    default: return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .test: "test"
    case .none: "none"
    case .server(let url): url
    }
  }

  static var allValueStrings: [String] { ["test", "none", "https://HOST:PORT"] }

  /// The host.
  ///
  /// - Parameter authority: The file with the authorities of the server's certificate; nil for those of the system.
  func host(at place: any PaymentPlace, authority: String?) -> any AuthorizationHost {
    switch self {
    case .test: place.host()
    case .none: NoHost()
    case .server(let url): ServerIssuer(url: url, authority: authority)
    }
  }
}
