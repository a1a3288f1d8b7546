internal import EMVData
internal import ISO7816
public import Transcripts

extension Transcript {
  /// The names of the applications that were selected, without the directory, in order.
  public var selectedApplications: [[UInt8]] {
    exchanges.compactMap { exchange in
      guard let command = try? CommandAPDU(parsing: exchange.command.span), command.ins == Instruction.select,
        command.data != FileControlInformation.ppseName, let octets = exchange.response,
        let response = try? ResponseAPDU(parsing: octets.span), !response.status.isRefusal
      else { return nil }
      return command.data
    }
  }
}
