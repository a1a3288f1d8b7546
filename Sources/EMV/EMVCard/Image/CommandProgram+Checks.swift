internal import EMVData

extension CommandProgram {
  /// Whether a response spends a use.
  var computes: Bool { answers.contains { $0.computes } }
  /// Whether a fill writes what the wallet adds.
  var takesWalletData: Bool { answers.contains { $0.takesWalletData } }

  /// Whether a response holds a signature.
  var signs: Bool { answers.contains { $0.signs } }

  private var answers: [Answer] {
    [answer] + answersByMethod.values + approvalsByMethod.values
      + [alternative, approval, signed, signedApproval].compactMap(\.self)
  }

  /// Traps when the program contradicts itself, since it is made by a scheme of this engine and not by a profile.
  func check() {
    precondition(values.valueCount <= Self.maximumValueCount, "the values of a command have 255 bytes at most")
    precondition(next.rawValue >= stage.rawValue, "an exchange does not go back to an earlier stage")
    for answer in answers {
      precondition(
        answer.data.count <= (answer.signs ? Self.maximumSignedCount : 256),
        "a response has 256 bytes of data at most, a signed one 512")
      precondition(refusal != nil || !answer.needsUse, "a program that needs a use has a refusal")
      precondition(answer.computes == computes, "either all responses of a command spend a use or none")
      for fill in answer.fills {
        precondition(
          fill.isWithin(answer.data.count, values.valueCount), "a fill lies within the response and the values")
        if case .entropy = fill { precondition(form == .exchangeRelayData, "only relay resistance data hold entropy") }
      }
    }
    for case .response(let data)? in [refusal, conflict] {
      precondition(data.count <= 256, "a response has 256 bytes at most")
    }
    checkValueBits()
    checkMethods()
  }

  private func checkValueBits() {
    precondition(conflict == nil || refusal != nil, "a program with a conflict has a refusal")
    for bits in [requirement?.bits, alternativeBits].compactMap(\.self) {
      precondition(form == .processingOptions, "only the values of GET PROCESSING OPTIONS select a response")
      precondition(values.valueCount > bits.offset && bits.offset >= 0, "the bits lie within the values")
    }
  }

  private func checkMethods() {
    guard !answersByMethod.isEmpty else { return }
    precondition(
      answersByMethod.count == DeviceVerificationMethod.allCases.count && alternativeBits == nil,
      "a program has a response for every method, and none that the terminal selects with them")
    precondition(
      answersByMethod.values.allSatisfy { $0.data.count == answer.data.count },
      "the responses for all methods have the same length")
  }
}

extension CommandProgram.Form {
  /// P1-P2 of the command; GENERATE AC has others too.
  var parameters: UInt16 {
    switch self {
    case .processingOptions, .exchangeRelayData, .generateCryptogram: 0x0000
    case .computeChecksum: 0x8E80
    }
  }
}

extension CommandProgram.Answer {
  var computes: Bool {
    fills.contains {
      switch $0 {
      case .cryptogram, .dynamicCode, .combinedSignature: true
      case .transactionCounter, .entropy, .walletData, .cardNumber, .fastSignature: false
      }
    }
  }

  var signs: Bool {
    fills.contains {
      switch $0 {
      case .fastSignature, .combinedSignature: true
      default: false
      }
    }
  }

  var takesWalletData: Bool {
    fills.contains { if case .walletData = $0 { true } else { false } }
  }

  var needsUse: Bool {
    fills.contains { if case .entropy = $0 { false } else { true } }
  }
}

extension CommandProgram.Fill {
  func isWithin(_ answerCount: Int, _ valueCount: Int) -> Bool {
    func holds(_ count: Int, at offset: Int) -> Bool { offset >= 0 && offset + count <= answerCount }
    switch self {
    case .transactionCounter(let offset): return holds(2, at: offset)
    case .cryptogram(let plan, let offset): return holds(8, at: offset) && plan.isWithin(valueCount)
    case .dynamicCode(_, let number, let offset):
      return holds(2, at: offset) && number >= 0 && number + 4 <= valueCount
    case .entropy(let offset), .cardNumber(let offset): return holds(4, at: offset)
    case .fastSignature(let signature, let offset):
      let related = signature.payment.map { holds(FastSignature.relatedCount, at: $0.related) } ?? true
      return related && holds(0, at: offset)
    case .combinedSignature(let signature, let plan, let offset):
      return holds(0, at: offset) && signature.object.upperBound <= answerCount && plan.isWithin(valueCount, signature)
    case .walletData(let offsets):
      return offsets.count <= 2 && offsets.allSatisfy { $0 > 0 && holds(1, at: $0) }
    }
  }
}
