import AccessMessages
import AccessServer
import Octets
package import ProgramSupport
package import ServerShell
package import ServerStore

extension CommandFailure {
  /// A failure of the connection.
  init(_ error: HTTPExchangeError) { self.init("NetworkError", "\(error)", .notReached) }

  /// A failure of the database.
  init(_ error: AccessStoreError) { self.init(error.code.rawValue, of: error) }

  /// A refusal of the server, or an error of it.
  init(_ refusal: AccessFailure, status: Int) {
    self.init(refusal.code.rawValue, refusal.message.visible(), status < 500 ? .notRight : .error)
  }
}

extension AccessStoreError: ExitError {
  /// A database that cannot be opened or written differs from one that is damaged or too new.
  package var exit: Exit { [.damaged, .newerVersion].contains(code) ? .notRight : .error }
}

extension CertificateError: ExitError {
  /// A file that cannot be opened differs from one that is wrong.
  package var exit: Exit { [.inaccessible, .exposed].contains(code) ? .error : .notRight }
}
