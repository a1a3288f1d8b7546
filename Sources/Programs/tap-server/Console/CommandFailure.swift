import ArgumentParser
import AccessMessages
import Octets
import ProgramSupport

extension CommandFailure {
  /// A failure of the connection.
  init(_ error: HTTPExchangeError) { self.init("NetworkError", "\(error)", .notReached) }

  /// A refusal of the server, or an error of it.
  init(_ refusal: AccessFailure, status: Int) {
    self.init(refusal.code.rawValue, refusal.message.visible(), status < 500 ? .refused : .failure)
  }
}
