internal import EMVData
internal import ISO7816
public import Transcripts

extension Transcript {
  /// The names of the applications that were selected, without the directory, in order.
  public var selectedApplications: [[UInt8]] {
    exchanges.compactMap(\.accepted).compactMap { command, _ in
      command.ins == Instruction.select && command.data != FileControlInformation.ppseName ? command.data : nil
    }
  }
}

extension Transcript.Exchange {
  /// The command and its response, when the card did not refuse it; nil otherwise.
  var accepted: (command: CommandAPDU, response: ResponseAPDU)? {
    guard let command = try? CommandAPDU(parsing: command.span), let octets = response,
      let response = try? ResponseAPDU(parsing: octets.span), !response.status.isRefusal
    else { return nil }
    return (command, response)
  }
}
