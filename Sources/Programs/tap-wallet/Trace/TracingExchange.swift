import AccessMessages
import Foundation
import ProgramSupport
import Synchronization

/// Sends requests through another exchange and appends both messages in words to a file.
final class TracingExchange: HTTPExchange {
  private let exchange: any HTTPExchange
  private let file: Mutex<FileHandle>

  /// Opens the file, or creates it, readable by its owner only.
  init(_ exchange: any HTTPExchange, path: String) throws(CommandFailure) {
    self.exchange = exchange
    let handle = try OptionFiles.appending(to: path)
    _ = try? handle.seekToEnd()
    file = Mutex(handle)
  }

  func serverCertificate(of origin: String) async -> [UInt8]? { await exchange.serverCertificate(of: origin) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    append(MessageDescription.lines(of: request))
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request)
      append(MessageDescription.lines(of: response))
      return response
    } catch {
      append(["<- no response: \(error)"])
      throw error
    }
  }

  private func append(_ lines: [String]) {
    let text = lines.joined(separator: "\n") + "\n"
    file.withLock { try? $0.write(contentsOf: Data(text.utf8)) }
  }
}
