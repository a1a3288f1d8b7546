import ContactlessPayment
import DeviceAuthentication
import EMVCard

/// A card of a wallet, without its account numbers.
extension DigitalCard {
  var json: JSONObject {
    [
      "card": id, "name": image.name, "state": state.rawValue, "isDefault": isDefault, "issuer": issuer,
      "paymentsLeft": paymentsLeft, "applications": image.applications.map { "\($0.aid)" },
    ]
  }

  /// The card as a line of text.
  var line: String {
    "\(id): \(image.name), \(state.rawValue)\(isDefault ? ", default" : ""), payments left: \(paymentsLeft)"
      + (issuer.map { ", issued by \($0)" } ?? "")
  }

  /// The keys of the card.
  var keysJSON: JSONObject {
    [
      "card": id, "paymentsLeft": paymentsLeft, "threshold": replenishmentThreshold,
      "needsReplenishment": needsReplenishment,
      "keys": keys.map { status -> JSONObject in
        [
          "application": "\(image.applications[status.application].aid)", "kind": status.kind.argument,
          "paymentsLeft": status.paymentsLeft, "expires": status.expiry.map(ExpiryDate.text),
          "isExpired": status.isExpired,
        ]
      },
      "offlineApprovals": image.applications.indices.filter { offline[$0].count > 0 }.map { index -> JSONObject in
        [
          "application": "\(image.applications[index].aid)", "count": offline[index].count,
          "limit": image.applications[index].offlineApproval?.countLimit,
        ]
      },
    ]
  }

  /// What is counted as approved without the issuer, as lines of text.
  private var offlineLines: [String] {
    image.applications.indices.filter { offline[$0].count > 0 }.map { index in
      let application = image.applications[index]
      let limit = application.offlineApproval?.countLimit.map { " of \($0)" } ?? ""
      return
        "  \(application.aid): approvals without the issuer: \(offline[index].count)\(limit), counted until it is authenticated"
    }
  }

  /// The keys of the card as lines of text.
  var keyLines: [String] {
    let need = needsReplenishment ? ", needs replenishment" : ""
    return ["\(id): \(paymentsLeft) left, threshold \(replenishmentThreshold)\(need)"]
      + keys.map { status in
        let expiry = status.expiry.map { ", \(status.isExpired ? "expired" : "expires") \(ExpiryDate.text($0))" } ?? ""
        let application = image.applications[status.application].aid
        return "  \(application): \(status.kind.argument), \(status.paymentsLeft) left\(expiry)"
      } + offlineLines
  }
}

/// The state of a simulated device.
extension StoredDeviceStatus {
  func json(of device: String) -> JSONObject {
    [
      "device": device, "isPasscodeSet": isPasscodeSet,
      "passcodeLocked_ns": Int64(passcodeLockedSeconds) * 1_000_000_000, "enrolments": enrolments,
      "isSensorLocked": isSensorLocked, "lockEpoch": lockEpoch, "usableKeys": usableKeys, "invalidKeys": invalidKeys,
    ]
  }

  /// The state as a line of text.
  func line(of device: String) -> String {
    var parts = ["passcode \(isPasscodeSet ? "on" : "off")", "fingers \(enrolments)", "keys \(usableKeys)"]
    if invalidKeys > 0 { parts.append("invalid keys \(invalidKeys)") }
    if passcodeLockedSeconds > 0 { parts.append("passcode locked for \(passcodeLockedSeconds) s") }
    if isSensorLocked { parts.append("sensor locked until the passcode is entered") }
    return "\(device): \(parts.joined(separator: ", "))"
  }
}
