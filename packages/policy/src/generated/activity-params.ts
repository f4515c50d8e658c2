// GENERATED from the declarations and contract/wire-facts.json by scripts/activity-params.ts. Do not edit.

import { bool, int, list, type Param, paramObject, paramText } from "../types.ts";

/** Parameters of activities as policies see them, by kind. */
export const derivedParams: Readonly<Record<string, Readonly<Record<string, Param>>>> = {
  CREATE_SUB_ORGANIZATION: {
    sub_organization_name: { type: paramText },
    root_users: { type: list(paramObject) },
    root_quorum_threshold: { type: int },
    wallet: { type: paramObject, isOptional: true },
    disable_email_recovery: { type: bool, isOptional: true },
    disable_email_auth: { type: bool, isOptional: true },
    disable_sms_auth: { type: bool, isOptional: true },
    disable_otp_email_auth: { type: bool, isOptional: true },
    verification_token: { type: paramText, isOptional: true },
    client_signature: { type: paramObject, isOptional: true },
    name: { type: paramText, isOptional: true },
    root_authenticator: { type: paramObject, isOptional: true },
    private_keys: { type: list(paramObject), isOptional: true },
  },
  DELETE_SUB_ORGANIZATION: {
    delete_without_export: { type: bool, isOptional: true },
  },
  CREATE_INVITATIONS: {
    invitations: { type: list(paramObject) },
  },
  DELETE_INVITATION: {
    invitation_id: { type: paramText },
  },
  CREATE_USERS: {
    users: { type: list(paramObject) },
  },
  CREATE_USER_TAG: {
    user_tag_name: { type: paramText },
    user_ids: { type: list(paramText) },
  },
  UPDATE_USER: {
    user_id: { type: paramText },
    user_name: { type: paramText, isOptional: true },
    user_email: { type: paramText, isOptional: true },
    user_tag_ids: { type: list(paramText), isOptional: true },
    user_phone_number: { type: paramText, isOptional: true },
  },
  UPDATE_USER_TAG: {
    user_tag_id: { type: paramText },
    new_user_tag_name: { type: paramText, isOptional: true },
    add_user_ids: { type: list(paramText) },
    remove_user_ids: { type: list(paramText) },
  },
  RECOVER_USER: {
    authenticator: { type: paramObject },
    user_id: { type: paramText },
  },
  DELETE_USERS: {
    user_ids: { type: list(paramText) },
  },
  DELETE_USER_TAGS: {
    user_tag_ids: { type: list(paramText) },
  },
  CREATE_API_KEYS: {
    api_keys: { type: list(paramObject) },
    user_id: { type: paramText },
  },
  CREATE_AUTHENTICATORS: {
    authenticators: { type: list(paramObject) },
    user_id: { type: paramText },
  },
  CREATE_OAUTH_PROVIDERS: {
    user_id: { type: paramText },
    oauth_providers: { type: list(paramObject) },
  },
  DELETE_API_KEYS: {
    user_id: { type: paramText },
    api_key_ids: { type: list(paramText) },
  },
  DELETE_AUTHENTICATORS: {
    user_id: { type: paramText },
    authenticator_ids: { type: list(paramText) },
  },
  DELETE_OAUTH_PROVIDERS: {
    user_id: { type: paramText },
    provider_ids: { type: list(paramText) },
  },
  CREATE_PRIVATE_KEYS: {
    private_keys: { type: list(paramObject) },
  },
  CREATE_PRIVATE_KEY_TAG: {
    private_key_tag_name: { type: paramText },
    private_key_ids: { type: list(paramText) },
  },
  UPDATE_PRIVATE_KEY_TAG: {
    private_key_tag_id: { type: paramText },
    new_private_key_tag_name: { type: paramText, isOptional: true },
    add_private_key_ids: { type: list(paramText) },
    remove_private_key_ids: { type: list(paramText) },
  },
  DELETE_PRIVATE_KEYS: {
    private_key_ids: { type: list(paramText) },
    delete_without_export: { type: bool, isOptional: true },
  },
  DELETE_PRIVATE_KEY_TAGS: {
    private_key_tag_ids: { type: list(paramText) },
  },
  INIT_IMPORT_PRIVATE_KEY: {
    user_id: { type: paramText },
  },
  IMPORT_PRIVATE_KEY: {
    user_id: { type: paramText },
    private_key_name: { type: paramText },
    encrypted_bundle: { type: paramText },
    curve: { type: paramText },
    address_formats: { type: list(paramText) },
  },
  EXPORT_PRIVATE_KEY: {
    private_key_id: { type: paramText },
    target_public_key: { type: paramText },
  },
  SIGN_TRANSACTION: {
    sign_with: { type: paramText },
    unsigned_transaction: { type: paramText },
    type: { type: paramText },
  },
  SIGN_RAW_PAYLOAD: {
    sign_with: { type: paramText },
    payload: { type: paramText },
    encoding: { type: paramText },
    hash_function: { type: paramText },
  },
  SIGN_RAW_PAYLOADS: {
    sign_with: { type: paramText },
    payloads: { type: list(paramText) },
    encoding: { type: paramText },
    hash_function: { type: paramText },
  },
  CREATE_WALLET: {
    wallet_name: { type: paramText },
    accounts: { type: list(paramObject) },
    mnemonic_length: { type: int },
  },
  CREATE_WALLET_ACCOUNTS: {
    wallet_id: { type: paramText },
    accounts: { type: list(paramObject) },
    persist: { type: bool },
  },
  UPDATE_WALLET: {
    wallet_id: { type: paramText },
    wallet_name: { type: paramText, isOptional: true },
  },
  DELETE_WALLETS: {
    wallet_ids: { type: list(paramText) },
    delete_without_export: { type: bool, isOptional: true },
  },
  INIT_IMPORT_WALLET: {
    user_id: { type: paramText },
  },
  IMPORT_WALLET: {
    user_id: { type: paramText },
    wallet_name: { type: paramText },
    encrypted_bundle: { type: paramText },
    accounts: { type: list(paramObject) },
  },
  EXPORT_WALLET: {
    wallet_id: { type: paramText },
    target_public_key: { type: paramText },
    language: { type: paramText, isOptional: true },
  },
  EXPORT_WALLET_ACCOUNT: {
    address: { type: paramText },
    target_public_key: { type: paramText },
  },
  CREATE_POLICY: {
    policy_name: { type: paramText },
    effect: { type: paramText },
    condition: { type: paramText, isOptional: true },
    consensus: { type: paramText, isOptional: true },
    notes: { type: paramText },
    time: { type: paramText, isOptional: true },
  },
  CREATE_POLICIES: {
    policies: { type: list(paramObject) },
  },
  UPDATE_POLICY: {
    policy_id: { type: paramText },
    policy_name: { type: paramText, isOptional: true },
    policy_effect: { type: paramText, isOptional: true },
    policy_condition: { type: paramText, isOptional: true },
    policy_consensus: { type: paramText, isOptional: true },
    policy_notes: { type: paramText, isOptional: true },
    time: { type: paramText, isOptional: true },
  },
  DELETE_POLICY: {
    policy_id: { type: paramText },
  },
  DELETE_POLICIES: {
    policy_ids: { type: list(paramText) },
  },
  CREATE_SMART_CONTRACT_INTERFACE: {
    smart_contract_address: { type: paramText },
    smart_contract_interface: { type: paramText },
    type: { type: paramText },
    label: { type: paramText },
    notes: { type: paramText, isOptional: true },
  },
  DELETE_SMART_CONTRACT_INTERFACE: {
    smart_contract_interface_id: { type: paramText },
  },
  EMAIL_AUTH: {
    email: { type: paramText },
    target_public_key: { type: paramText },
    api_key_name: { type: paramText, isOptional: true },
    expiration_seconds: { type: paramText, isOptional: true },
    email_customization: { type: paramObject, isOptional: true },
    invalidate_existing: { type: bool, isOptional: true },
    send_from_email_address: { type: paramText, isOptional: true },
    send_from_email_sender_name: { type: paramText, isOptional: true },
    reply_to_email_address: { type: paramText, isOptional: true },
  },
  INIT_OTP_AUTH: {
    otp_type: { type: paramText },
    contact: { type: paramText },
    otp_length: { type: int, isOptional: true },
    email_customization: { type: paramObject, isOptional: true },
    sms_customization: { type: paramObject, isOptional: true },
    user_identifier: { type: paramText, isOptional: true },
    send_from_email_address: { type: paramText, isOptional: true },
    alphanumeric: { type: bool, isOptional: true },
    send_from_email_sender_name: { type: paramText, isOptional: true },
    reply_to_email_address: { type: paramText, isOptional: true },
  },
  OTP_AUTH: {
    otp_id: { type: paramText },
    otp_code: { type: paramText },
    target_public_key: { type: paramText },
    api_key_name: { type: paramText, isOptional: true },
    expiration_seconds: { type: paramText, isOptional: true },
    invalidate_existing: { type: bool, isOptional: true },
  },
  OAUTH: {
    oidc_token: { type: paramText },
    target_public_key: { type: paramText },
    api_key_name: { type: paramText, isOptional: true },
    expiration_seconds: { type: paramText, isOptional: true },
    invalidate_existing: { type: bool, isOptional: true },
  },
  CREATE_READ_WRITE_SESSION: {
    target_public_key: { type: paramText },
    user_id: { type: paramText, isOptional: true },
    api_key_name: { type: paramText, isOptional: true },
    expiration_seconds: { type: paramText, isOptional: true },
    invalidate_existing: { type: bool, isOptional: true },
  },
  INIT_USER_EMAIL_RECOVERY: {
    email: { type: paramText },
    target_public_key: { type: paramText },
    expiration_seconds: { type: paramText, isOptional: true },
    email_customization: { type: paramObject, isOptional: true },
    send_from_email_address: { type: paramText, isOptional: true },
    send_from_email_sender_name: { type: paramText, isOptional: true },
    reply_to_email_address: { type: paramText, isOptional: true },
  },
};
