internal import PaymentAcceptance

extension [Exchange] {
  /// Each command as it was sent first, with its whole response: without GET RESPONSE, and without commands that are sent
  /// again because the card corrected their Le.
  ///
  /// A response that stays incomplete keeps its status word 61xx or 6Cxx (ISO/IEC 7816-4:2013, 5.3.4).
  var withWholeResponses: [Exchange] {
    var whole: [Exchange] = []
    for exchange in self {
      if let first = whole.last, exchange.completes(first) {
        whole[whole.count - 1] = first.completed(by: exchange)
      } else if !exchange.isContinuation {
        whole.append(exchange)
      }
    }
    return whole
  }
}

extension Exchange {
  private var announcement: UInt8? { response?.dropLast().last }

  fileprivate func completes(_ first: Exchange) -> Bool {
    guard tap == first.tap else { return false }
    return switch first.announcement {
    case 0x61: isContinuation
    case 0x6C: command.prefix(4) == first.command.prefix(4)
    default: false
    }
  }

  fileprivate func completed(by later: Exchange) -> Exchange {
    let begin = announcement == 0x61 ? Array(response?.dropLast(2) ?? []) : []
    return Exchange(
      number: number, tap: tap, phase: phase, command: command, response: later.response.map { begin + $0 },
      failure: later.failure, begun: begun, nanoseconds: nanoseconds &+ later.nanoseconds)
  }
}
